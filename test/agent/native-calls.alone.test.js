'use strict'

// A native call answers when it has returned: by then the next function has been entered, which has nothing to do with
// it.
// runtime: V8 profiles
const test = require('node:test')
const assert = require('node:assert/strict')
const { startNode } = require('../support/app')

const NEXT = ['plain', 'arrow', 'method', 'constructed', 'getter', 'callback']

test('a slow native call is charged to the function that makes it, not to the one entered next', async (t) => {
  const { stdout, stderr } = await startNode(t, ['native-calls.js']).closed
  /** @type {Record<string, { function: string, exact: boolean }>} */
  const named = JSON.parse(stdout)
  for (const name of NEXT) assert.deepEqual({ ...named[name] }, { function: name, exact: false }, stderr)
  assert.equal(named.repeated.function, 'parseRow', 'called again and again, each time for long')
})
