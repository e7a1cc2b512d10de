'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ProfileWindows } = require('../../../../lib/watchdog/profile/profile-windows')

test('each file is read once for a block, and again for the next one', () => {
  /** @type {string[]} */
  const reads = []
  const sourceRows = (/** @type {string} */ file) => {
    reads.push(file)
    return file === 'gone.js' ? null : ['a()', 'b()']
  }
  const read = (/** @type {string} */ file) => `${sourceRows(file)?.join('\n')}`
  const maps = { frames: { passesOn: () => false }, isInMemory: () => false, placeOfLine: () => null, sourceRows }
  const windows = new ProfileWindows(/** @type {any} */ (maps), { read })
  for (const what of /** @type {const} */ (['sourceRows', 'runningRows'])) {
    for (let block = 1; block <= 2; block++) {
      const { [what]: linesIn } = windows.sources
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(linesIn('app.js'), ['a()', 'b()'])
        linesIn('gone.js')
      }
      assert.deepEqual(reads.splice(0), ['app.js', 'gone.js'], what)
    }
  }
})
