'use strict'

const path = require('node:path')

const CLIS = /^(npm|npx|yarn|yarnpkg|pnpm|pnpx|corepack)(-cli)?(\.[cm]?js)?$/

/**
 * Whether a process's main script is a package manager, which NODE_OPTIONS also reaches.
 * @param {string | undefined} script process.argv[1]
 */
exports.isPackageManager = (script) => script !== undefined && CLIS.test(path.basename(script))
