'use strict'

// Recorded blocks of generated programs, explained again by lib/explain as it is now.
const test = require('node:test')
const assert = require('node:assert/strict')
const { changedIn, explainAgain, readRecorded, readVerdicts, sayChanges } = require('../../../scenarios/bakeoff/generated/recorded')
const { lineShares } = require('../../../scenarios/bakeoff/generated/score')

const WRITE = 'node scenarios/bakeoff/generated/recorded.js --write'

/** Bounds in percent of the judged blocks: what was measured when they were recorded, rounded to the worse side. */
const BOUNDS = {
  calm: { wrong: 0.5, right: 93, certain: 79, function: 95.5, cause: 98 },
  busy: { wrong: 0.5, right: 94, certain: 77, function: 96, cause: 97 }
}

const outcomes = explainAgain(readRecorded())

test('recorded blocks have the verdicts that were kept', () => {
  const changed = changedIn(readVerdicts(), outcomes.map(({ row }) => row))
  assert.equal(changed.length, 0, `${sayChanges(changed, outcomes.length)}\nIf that is better: ${WRITE}`)
  assert.equal(readVerdicts().length, outcomes.length, WRITE)
})

for (const [load, bounds] of Object.entries(BOUNDS)) {
  test(`few certain lines of recorded ${load} blocks are wrong, and most lines are right`, () => {
    const verdicts = outcomes.map(({ verdict }) => verdict).filter((each) => each.isFound && each.load === load)
    const line = lineShares(verdicts)
    const share = (/** @type {(verdict: typeof verdicts[number]) => boolean} */ isIt) =>
      100 * verdicts.filter(isIt).length / verdicts.length
    const measured = {
      wrong: line['certain and wrong'],
      right: line['right at all'],
      certain: line['certain and right'],
      function: share((each) => each.function === 'right' || each.function === 'doubted'),
      cause: share(({ isCause }) => isCause)
    }
    const { wrong, ...least } = bounds
    const said = `${JSON.stringify(measured)} against ${JSON.stringify(bounds)}`
    assert.ok(measured.wrong <= wrong, said)
    for (const [key, bound] of Object.entries(least)) {
      assert.ok(measured[/** @type {keyof typeof measured} */ (key)] >= bound, said)
    }
  })
}

test('a changed verdict is listed with the share of blocks that are better and worse', () => {
  const before = ['24 grammar 1: calm, right, handle:3, js', '24 grammar 2: calm, doubted, handle:4 ≈, js']
  const now = [before[0], '24 grammar 2: calm, wrong, handle:5, js']
  assert.equal(sayChanges(changedIn(before, now), 2), [
    `- ${before[1]}`,
    `+ ${now[1]}`,
    '1 of 2 blocks have another verdict (50.0%); the line is better in 0 (0.0%) and worse in 1 (50.0%).'
  ].join('\n'))
})

test('a block whose verdict changes fails the comparison', () => {
  const kept = readVerdicts()
  const lines = readRecorded().slice(0, 3)
  // Without the answers to interrupts and the profile, nothing shows a line.
  const blind = lines.map((line) => {
    const block = JSON.parse(line)
    return JSON.stringify({ ...block, facts: { ...block.facts, stacks: [], samples: 0, profile: null } })
  })
  assert.equal(changedIn(kept, explainAgain(blind).map(({ row }) => row)).length, 3)
})
