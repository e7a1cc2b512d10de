'use strict'

// What the harness and its first scenarios decide, on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn } = require('node:child_process')
const { runScenario } = require('../../scenarios/harness/run/run')
const { ownUsage, processUsage, treeUsage } = require('../../scenarios/harness/measure/usage')
const { eventually } = require('../support/app')

test('CPU time and memory are a process\'s own, or its whole tree\'s', { skip: process.platform !== 'linux' }, async (t) => {
  // The work is done by a grandchild that has ended, and one that lives.
  const burn = 'while (process.cpuUsage().user < 200_000);'
  const child = spawn('sh', ['-c', '"$0" -e "$1"; echo ended; "$0" -e "$1 setTimeout(() => {}, 20000); console.log(1)"; true', process.execPath, burn], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  t.after(() => process.kill(-Number(child.pid), 'SIGKILL'))
  let said = ''
  child.stdout.on('data', (text) => { said += text })
  await eventually(() => said.includes('1'), () => `both to have worked: ${said}`)
  const [own, tree] = [processUsage(Number(child.pid)), treeUsage(Number(child.pid))]
  assert.ok(Number(own.cpuSeconds) < 0.1, `the shell itself did nothing: ${own.cpuSeconds}`)
  assert.ok(Number(tree.cpuSeconds) >= 0.2, `the tree worked: ${tree.cpuSeconds}`)
  assert.ok(Number(tree.peakRssBytes) > 20e6 && Number(own.peakRssBytes) < 20e6)
  // What stands in for /proc elsewhere says the same of the calling process; the kernel counts in hundredths of a
  // second.
  const [told, counted] = [ownUsage(), processUsage(process.pid)]
  assert.ok(Math.abs(told.cpuSeconds - Number(counted.cpuSeconds)) < 0.1, `${told.cpuSeconds} and ${counted.cpuSeconds} s`)
  assert.ok(Math.abs(told.peakRssBytes / Number(counted.peakRssBytes) - 1) < 0.1, `${told.peakRssBytes} and ${counted.peakRssBytes} bytes`)
  for (const read of [processUsage, treeUsage]) {
    assert.deepEqual(read(2 ** 30), { cpuSeconds: null, peakRssBytes: null })
  }
})

test('an ending that fails keeps neither the others from it nor the results', async () => {
  const mode = { repeats: 1, seconds: 1, warmUpSeconds: 0, note: '' }
  /** @type {[string[], string[]]} */
  const [ended, said] = [[], []]
  const scenario = /** @type {import('../../scenarios/harness/interface').Scenario} */ ({
    name: 'x',
    title: '',
    unit: 'ms',
    better: 'lower',
    agent: null,
    modes: { quick: mode, default: mode, full: mode, faithful: mode },
    plan: () => [],
    findings: () => ['1'],
    setup: async ({ defer }) => {
      defer(() => ended.push('first'))
      defer(() => { throw new Error('deferred failed') })
      return {}
    },
    teardown: async () => { throw new Error('teardown failed') }
  })
  const parts = {
    live: { begin: () => {} },
    progress: { begin: () => {}, end: () => {}, say: (/** @type {string} */ line) => said.push(line) },
    signal: new AbortController().signal
  }
  const { findings } = await runScenario(scenario, { mode: 'default', only: [], options: {} }, /** @type {any} */ (parts))
  assert.deepEqual([findings, ended], [['1'], ['first']])
  assert.match(said.join('\n'), /x: not all was ended: Error: teardown failed[^]*x: not all was ended: Error: deferred failed/)
})
