'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
/** What the watchdog asks takes so long here that every script would end in the middle of it. */
const SLOW = `
  const { probe, profile } = agent
  const slow = (ask) => (...args) => { const end = performance.now() + 30; while (performance.now() < end); ask(...args) }
  agent.probe = slow(probe)
  agent.profile = slow(profile)`
const SCRIPTS = `
  const vm = require('node:vm')
  const codes = []
  for (const timeout of [60, 71, 82, 93, 104]) {
    try {
      vm.runInNewContext('while (true) {}', {}, { timeout })
    } catch ({ code }) {
      codes.push(code)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }`

test('scripts of node:vm end at their timeout', { skip: !fs.existsSync('/proc/self/task') && 'needs /proc' }, async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const { stackTraceLimit, prepareStackTrace } = Error
    agent.ready.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      ${SLOW}
      ${SCRIPTS}
      const hold = () => { const end = Date.now() + 200; while (Date.now() < end); }
      hold()
      await new Promise((resolve) => setTimeout(resolve, 700))
      const [last] = await agent.blocks()
      console.log(JSON.stringify({
        codes: [...new Set(codes)],
        count: codes.length,
        isErrorAsBefore: Error.stackTraceLimit === stackTraceLimit && Error.prepareStackTrace === prepareStackTrace,
        samples: last.samples > 0
      }))
      agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { codes: ['ERR_SCRIPT_EXECUTION_TIMEOUT'], count: 5, isErrorAsBefore: true, samples: true })
})
