'use strict'

/** Node's own `process`. An application may replace the global one, with a browser's for instance. */
module.exports = require('node:process')
