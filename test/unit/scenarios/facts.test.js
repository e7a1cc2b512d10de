'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { judgeAgain } = require('../../../scenarios/bakeoff/generated/facts')

const FILE = path.join(__dirname, '..', '..', 'fixtures', 'facts.ndjson')

test('blocks of generated programs, explained again: no line and no work is certain and wrong', () => {
  const verdicts = fs.readFileSync(FILE, 'utf8').trim().split('\n').map(judgeAgain)
  const judged = verdicts.filter(({ isFound, isExcused }) => isFound && !isExcused)
  const count = (/** @type {(verdict: (typeof judged)[number]) => boolean} */ is) => judged.filter(is).length
  const wrong = judged.filter(({ line, work }) => line === 'wrong' || work === 'wrong')
  assert.deepEqual(wrong.map(({ record }) => record?.frame), [])
  const isRight = (/** @type {string} */ each) => each === 'right' || each === 'doubted'
  console.log(judged.length, count(({ line }) => isRight(line)), count(({ line }) => line === 'right'), count((each) => isRight(each.function)), count(({ isCause }) => isCause))
})
