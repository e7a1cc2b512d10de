'use strict'

const path = require('node:path')
const { makeDir } = require('./files')
const { BlockFile } = require('../../lib/store/block-file')

/**
 * A file of blocks in a folder of its own, on a clock that stands until it is set.
 * @param {import('node:test').TestContext} t
 * @param {{ dir?: string, fileBytes?: number }} [parts]
 */
exports.makeFile = (t, { dir = makeDir(t), fileBytes } = {}) => {
  const clock = { nowMs: 1000 }
  /** @type {(Error | null)[]} */
  const states = []
  const file = new BlockFile({ dir, name: 'blocks-1', nowMs: () => clock.nowMs, onState: (error) => states.push(error), fileBytes })
  t.after(() => file.close())
  return { dir, file, clock, states, path: path.join(dir, 'blocks-1.ndjson') }
}
