'use strict'

// Programs that nobody chose, from their drawing to the report of the agent.
const test = require('node:test')
const assert = require('node:assert/strict')
const { runProgram } = require('../../scenarios/bakeoff/generated/run')

test('generated programs run under the agent, which finds their blocks and has no certain line outside their functions', { timeout: 120000 }, async (t) => {
  if (process.platform === 'win32') return t.skip('scenarios run on Linux and macOS')
  const results = []
  for (let index = 0; results.length < 4 && index < 40; index++) {
    const result = await runProgram(20261127, index)
    if (result !== null) results.push(result)
  }
  const verdicts = results.flatMap((result) => result.verdicts)
  assert.equal(verdicts.length, 8)
  const judged = verdicts.filter(({ isFound, load }) => isFound && load !== 'excused')
  const wrong = judged.filter((each) => each.function === 'wrong')
  assert.deepEqual(wrong.map(({ record }) => record?.frame), [])
})
