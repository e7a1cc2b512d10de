'use strict'

/** The file and its folder, since half of all files are called index.js. @param {string | null} file */
exports.shortPath = (file) => (file ?? '').split(/[\\/]/).slice(-2).filter(Boolean).join('/')
