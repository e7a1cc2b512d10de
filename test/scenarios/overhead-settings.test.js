'use strict'

// What the overhead scenario compares: on which cores, and with which settings.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { contestants } = require('../../scenarios/bakeoff/contestants')
const { watchers } = require('../../scenarios/overhead/watchers')

test('overhead: Sentry\'s module has the intervals of its README, where the bakeoff has it look more often', async (t) => {
  const start = t.mock.method(contestants.sentry, 'start', async () => {})
  await watchers.sentry.load().start()
  const [{ thresholdMs, beatMs, checkMs }] = /** @type {any[]} */ (start.mock.calls[0].arguments)
  const readme = fs.readFileSync(require.resolve('@sentry-internal/node-native-stacktrace/package.json', { paths: [path.join(__dirname, '..', '..', 'scenarios')] }).replace(/package\.json$/, 'README.md'), 'utf8')
  const [, beat] = /setInterval\(\(\) => \{\n {2}threadPoll\(\);\n\}, (\d+)\)/.exec(readme) ?? []
  const [, threshold] = /THRESHOLD = (\d+)/.exec(readme) ?? []
  const [, check] = /getThreadsLastSeen\(\);[^]*?\n\}, (\d+)\)/.exec(readme) ?? []
  assert.deepEqual(
    { thresholdMs, beatMs, checkMs },
    { thresholdMs: Number(threshold), beatMs: Number(beat), checkMs: Number(check) }
  )
})
