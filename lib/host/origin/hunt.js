'use strict'

const { checkOptions } = require('../../options/table')
const type = require('../../options/types')

/** @typedef {{ found: number, refused: string | null }} HuntResult blocks that got an origin; why it was refused */

/** Returns the seconds. Throws a LoopwatchError. @param {unknown} options @returns {number} */
exports.checkHunt = (options) =>
  checkOptions('hunt()', 'an object { seconds }', options, [{ key: 'seconds', type: type.number(1, 300, 'seconds') }])
    .seconds
