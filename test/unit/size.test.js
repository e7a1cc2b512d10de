'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const acorn = require('acorn')
const { filesBelow, ROOT } = require('../support/source-tree')

/** Tokens of the code of lib/, without built and generated files. Comments, and the length of names, are free. */
const TOKENS = 259_080
/** A change may need some. A commit that needs more says why, and what it has tried to take out. */
const ROOM = 1.03

/** @param {string} file */
function countTokens (file) {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8')
  let tokens = 0
  const sourceType = file.endsWith('.mjs') ? 'module' : 'script'
  acorn.parse(text, { ecmaVersion: 'latest', sourceType, allowHashBang: true, onToken: () => { tokens++ } })
  return tokens
}

test('lib/ has no more tokens than it had, but for a change\'s worth', () => {
  const files = filesBelow('lib').filter((file) => /\.m?js$/.test(file) && !file.startsWith('lib/declarations/'))
  const tokens = files.reduce((sum, file) => sum + countTokens(file), 0)
  assert.ok(tokens <= TOKENS * ROOM, `${tokens} tokens in lib/: TOKENS of this test allows ${Math.floor(TOKENS * ROOM)}`)
})
