'use strict'

const process = require('../../../util/process')

/** @typedef {{ name?: string, fullName?: string, filePath?: string }} Context older versions have fewer fields */

/** @param {import('./recorder').Recorder} recorder */
exports.follow = (recorder) => {
  const { beforeEach, afterEach } = require('node:test')
  /** @type {Map<unknown, number>} by name: the hooks before and after a test receive different objects */
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
