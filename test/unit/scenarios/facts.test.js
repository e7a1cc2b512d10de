'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { judgeAgain } = require('../../../scenarios/bakeoff/generated/facts')

const FILE = path.join(__dirname, '..', '..', 'fixtures', 'facts.ndjson')

/** Of the 65 blocks that are judged, those that were right when they were recorded. */
const RIGHT = { line: 55, exactLine: 38, function: 65, cause: 61 }

test('blocks of generated programs, explained again: nothing is certain and wrong, and no less is right than before', () => {
  const verdicts = fs.readFileSync(FILE, 'utf8').trim().split('\n').map(judgeAgain)
  const judged = verdicts.filter(({ isFound, load }) => isFound && load !== 'excused')
  const wrong = judged.filter((each) => [each.line, each.function, each.work].includes('wrong'))
  assert.deepEqual(wrong.map(({ record }) => record?.frame), [])
  const count = (/** @type {(verdict: (typeof judged)[number]) => boolean} */ isIt) => judged.filter(isIt).length
  const isRight = (/** @type {string} */ each) => each === 'right' || each === 'doubted'
  const right = {
    line: count(({ line }) => isRight(line)),
    exactLine: count(({ line }) => line === 'right'),
    function: count((each) => isRight(each.function)),
    cause: count(({ isCause }) => isCause)
  }
  for (const [what, least] of Object.entries(RIGHT)) {
    assert.ok(right[/** @type {keyof typeof RIGHT} */ (what)] >= least, `${what}: ${JSON.stringify(right)}, before ${JSON.stringify(RIGHT)}`)
  }
})
