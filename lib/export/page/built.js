'use strict'

const fs = require('node:fs')
const path = require('node:path')

const BUILT = path.join(__dirname, 'built')

/** A file of built/. @param {string} name */
exports.readBuilt = (name) => fs.readFileSync(path.join(BUILT, name))
