'use strict'

/** The `process` of Node.js. An application may replace the global one, for instance with a browser's. */
module.exports = require('node:process')
