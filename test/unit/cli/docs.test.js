'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { causes } = require('../../../lib/tables/causes')
const { adviceOn, causeDocument } = require('../../../lib/cli/docs')

/** Three of them fit one answer of `loopwatch mcp`, beside the blocks that they are about. */
const MOST_CHARS = 1000

for (const name of Object.keys(causes)) {
  test(`the document of ${name} says what it is and what to do, in few words`, () => {
    const advice = adviceOn(name)
    assert.ok(advice !== null, `docs/causes/${name}.md is missing: copy docs/causes/many.md`)
    const { about, toDo } = advice
    assert.match(about, /^[A-Z`][^#]+[.:]$/s)
    assert.match(toDo, /^- /, `docs/causes/${name}.md needs a list below "## What to do"`)
    assert.doesNotMatch(toDo, /\]\(|^\|/m, 'reports show no links and no tables')
    assert.ok(about.length + toDo.length < MOST_CHARS, `${about.length + toDo.length} characters`)
  })
}

test('without its documents, as in a bundle, nothing is advised and nothing thrown', () => {
  assert.equal(causeDocument('none'), null)
  assert.equal(adviceOn('none'), null)
})
