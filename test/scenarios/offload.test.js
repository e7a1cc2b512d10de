'use strict'

// What the harness and its first scenarios decide, on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const { Context } = require('../../scenarios/harness/run/context')
const { means } = require('../../scenarios/offload/means')
const offloadTask = require('../../scenarios/offload/task')
const { work } = require('../../scenarios/offload/work')

test('of tasks at once the last answer counts, and the memory then, not what comes when all have ended', async () => {
  const [END_MS, GROWTH_MIB] = [300, 256]
  means.ending = () => ({
    run: async ({ steps }) => {
      const fromMs = performance.now()
      const answer = { value: work(steps), inputBytes: 0 }
      const answeredMs = performance.now()
      await new Promise((resolve) => setTimeout(resolve, END_MS))
      return {
        answer,
        times: { startMs: 0, sendMs: 0, onlineMs: 0, resultMs: answeredMs - fromMs, answeredMs },
        rssBytes: process.memoryUsage.rss() + GROWTH_MIB * 1024 * 1024
      }
    },
    close: async () => {}
  })
  const shared = { stepsPerMs: 1000, values: { 1: work(1000) } }
  const { value, extra } = await offloadTask.run(new Context({ cell: { variant: 'ending', params: { workMs: 1, inputKiB: 0, parallel: 4 }, module: '' }, mode: 'quick', seconds: 0, warmUpSeconds: 0, shared }, null, () => {}))
  assert.ok(value > 0 && value < END_MS, `${value} ms`)
  assert.ok(Math.abs(Number(extra?.rssGrowthMiB) / (GROWTH_MIB / 4) - 1) < 0.2, `${extra?.rssGrowthMiB} MiB each`)
  for (const variant of ['inline', 'fork', 'worker', 'pool']) {
    const { run, close } = means[variant](1)
    assert.ok((await run({ steps: 1000, input: null })).rssBytes > 1e7, variant)
    await close()
  }
})
