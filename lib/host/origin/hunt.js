'use strict'

const type = require('../../options/types')
const { codedError } = require('../../tables/errors')
const { nearest } = require('../../options/table')

const SECONDS = type.number(1, 300, 'seconds')

/** @typedef {{ found: number, refused: string | null }} HuntResult blocks that got an origin; why it was refused */

/** Returns the seconds. Throws a LoopwatchError. @param {unknown} options */
exports.checkHunt = (options) => {
  if (!type.isPlainObject(options)) throw codedError('LOOPWATCH_ERR_OPTION', 'hunt()', 'an object { seconds }', options)
  for (const key of Object.keys(options)) {
    if (key !== 'seconds') throw codedError('LOOPWATCH_ERR_OPTION_UNKNOWN', key, nearest(key, ['seconds']))
  }
  const { seconds } = options
  if (!SECONDS.accepts(seconds)) {
    throw codedError('LOOPWATCH_ERR_OPTION', 'option "seconds" of hunt()', SECONDS.takes, seconds)
  }
  return /** @type {number} */ (seconds)
}
