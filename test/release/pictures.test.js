'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { digestOf, IMAGES, shown, taken } = require('../support/pictures')

/** Reports of runs with a date. */
const DATED = /^scenario-/

test('no picture is older than the page or the dashboard that it shows', () => {
  const pictures = fs.readdirSync(IMAGES).filter((file) => file.endsWith('.png') && !DATED.test(file))
  assert.deepEqual(pictures.sort(), Object.keys(shown).sort())
  const digests = taken()
  assert.deepEqual(pictures.filter((name) => digests[name] !== digestOf(name)), [], 'take them again: npm run pictures')
})
