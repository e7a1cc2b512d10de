'use strict'

const { setImmediate } = require('node:timers/promises')
const { FlameTree } = require('./flame-tree')

/** So many are a few milliseconds of work, for which the watchdog may be away. */
const RECORDS_AT_ONCE = 5

/**
 * The stacks of many blocks as one tree, made in steps that let the watchdog look in between.
 * @param {import('../../types').BlockRecord[]} records newest first
 */
exports.flameOf = async (records) => {
  const tree = new FlameTree()
  for (const [i, record] of records.entries()) {
    tree.add(record)
    if (i % RECORDS_AT_ONCE === RECORDS_AT_ONCE - 1) await setImmediate()
  }
  return tree
}
