'use strict'

const process = require('../../../util/process')

/**
 * @typedef {{ name?: string, fullName?: string, filePath?: string }} Context what node:test hands to hooks; older
 * versions have fewer fields
 */

/**
 * Follows the tests of a file that `node --test` has started.
 * @param {import('./recorder').Recorder} recorder
 */
exports.follow = (recorder) => {
  const { beforeEach, afterEach } = require('node:test')
  /** @type {Map<unknown, number>} by the name: a hook after a test is given another object than the one before */
  const running = new Map()
  const keyOf = (/** @type {Context} */ context) => context?.fullName ?? context?.name
  beforeEach((context) => {
    const { name = '', fullName = name, filePath } = /** @type {Context} */ (context ?? {})
    running.set(keyOf(/** @type {Context} */ (context)), recorder.begin(fullName, filePath ?? process.argv[1]))
  })
  afterEach((context) => {
    const key = keyOf(/** @type {Context} */ (context))
    const id = running.get(key)
    running.delete(key)
    if (id !== undefined) recorder.end(id)
  })
}
