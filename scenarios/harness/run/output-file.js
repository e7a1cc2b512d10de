'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedErrorFrom } = require('../../../lib/tables/errors')

/**
 * Finds out before a run whether its results can be written there: afterwards is too late.
 * @param {string} flag
 * @param {string} file
 */
exports.checkWritable = (flag, file) => {
  const isNew = !fs.existsSync(file)
  try {
    fs.closeSync(fs.openSync(file, 'a'))
    if (isNew) fs.rmSync(file)
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', flag, path.resolve(file), error.message)
  }
}
