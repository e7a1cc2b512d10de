'use strict'

/** Node's own `process`. An application may put another one, a browser's for instance, in place of the global one. */
module.exports = require('node:process')
