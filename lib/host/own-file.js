'use strict'

const path = require('node:path')

const NAME = 'own-file.js'

/**
 * Whether this source is a file of its own still. In a bundle of CommonJS __filename is the bundle's, beside
 * which there may well be a file of the application by the name of one of ours; in one of ES modules
 * there is none.
 */
const isFile = typeof __filename === 'string' && path.basename(__filename) === NAME

/**
 * A file or folder of ours below lib/, null in a bundle.
 * @param {string[]} parts
 * @returns {string | null}
 */
exports.ownFile = (...parts) => isFile ? path.join(__dirname, '..', ...parts) : null
