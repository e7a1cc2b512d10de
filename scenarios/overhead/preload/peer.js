'use strict'

// WATCH=<one of peers.js>, as a file that --require loads before the application.
const { peers } = require('../peers')

peers[process.env.WATCH ?? ''].load().start()
