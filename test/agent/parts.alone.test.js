'use strict'

// runtime: CPU time and answers of the stuck thread
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const os = require('node:os')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { makeGroup, NO_GROUPS } = require('../support/control-group')
const { makeDir } = require('../support/files')

const skip = process.platform !== 'linux' && '/proc is needed'
const STOPPED_MS = 2000
const BYTES_PER_MB = 1024 * 1024

/**
 * What a block of an application was, and what /proc said of the same time.
 * @param {import('node:test').TestContext} t @param {string} kind with its arguments
 * @param {(child: any) => Promise<void>} [disturb] @param {string[]} [under] a command that starts it
 */
async function blockOf (t, kind, disturb = async () => {}, under = []) {
  const [node = process.execPath, ...args] = [...under, ...under.length > 0 ? [process.execPath] : []]
  const app = startNode(t, [...args, require.resolve('../fixtures/parts-app.js'), ...kind.split(' ')], { node })
  await eventually(() => app.out.stdout.includes('ready'), () => `ready; stderr: ${app.out.stderr}`)
  await disturb(app.child)
  const line = await eventually(() => /^\{.*\}$/m.exec(app.out.stdout), () => `a record; stderr: ${app.out.stderr}`)
  return JSON.parse(line[0])
}

/**
 * Within a tenth of the block, and what the hypervisor took of the CPU.
 * @param {any} block @param {Record<string, number>} expected parts in ms
 */
function agrees ({ record, ...seen }, expected) {
  for (const [part, ms] of Object.entries(expected)) {
    const text = `${part}: ${record.parts[part]}, not about ${ms}: ${JSON.stringify({ seen, ...record })}`
    const mostMs = record.durationMs / 10 + (record.evidence.stolenMs ?? 0)
    assert.ok(Math.abs(record.parts[part] - ms) <= mostMs, text)
  }
}

test('two busy loops on one CPU: the half that waited is waiting, as /proc says', { skip }, async (t) => {
  const cpu = os.availableParallelism() - 1
  const pinned = ['taskset', '-c', `${cpu}`]
  startNode(t, ['-c', `${cpu}`, process.execPath, '-e', 'for (;;);'], { node: 'taskset' })
  const block = await blockOf(t, 'spin', undefined, pinned)
  agrees(block, { js: block.cpuMs, waiting: block.waitedMs, asleep: 0, stopped: 0 })
  assert.ok(block.record.parts.waiting > 0.2 * block.record.durationMs, JSON.stringify(block.record))
  // Whichever half was longer.
  assert.match(block.record.cause, /^(?:js|starved)$/)
  assert.equal(block.record.excused, false)
})

test('a container with a third of a CPU: what it must wait for is waiting', { skip }, async (t) => {
  const group = makeGroup(t, 'cpu', 0.33)
  if (group === null) return t.skip(NO_GROUPS)
  const block = await blockOf(t, 'spin', undefined, group.command)
  const { cpuMs, wholeMs } = block
  agrees(block, { js: cpuMs, waiting: wholeMs - cpuMs, asleep: 0, stopped: 0 })
  assert.ok(block.record.evidence.throttledMs > 0, JSON.stringify(block.record.evidence))
})

test('a container short of memory: its waits for the disk are asleep, and the rest is what it ran', { skip }, async (t) => {
  const group = makeGroup(t, 'memory', 192 * BYTES_PER_MB)
  if (group === null) return t.skip(NO_GROUPS)
  const file = path.join(makeDir(t), 'large')
  // In the group, or its pages would be those of another.
  const [shell, ...args] = group.command
  execFileSync(shell, [...args, 'dd', 'if=/dev/zero', `of=${file}`, 'bs=1M', 'count=512', 'conv=fsync', 'status=none'])
  const block = await blockOf(t, `read ${file}`, undefined, group.command)
  const { wholeMs, cpuMs, waitedMs } = block
  agrees(block, { waiting: waitedMs, asleep: wholeMs - cpuMs - waitedMs, stopped: 0 })
  const { js, native, gc } = block.record.parts
  assert.ok(block.record.evidence.memory.cgroupBytes > 150 * BYTES_PER_MB, JSON.stringify(block.record.evidence.memory))
  const ran = `ran: ${js + native + gc}, not about ${cpuMs}: ${JSON.stringify(block)}`
  assert.ok(Math.abs(js + native + gc - cpuMs) <= wholeMs / 10, ran)
})

test('SIGSTOP of a busy loop: the time of the stop is stopped', { skip }, async (t) => {
  const block = await blockOf(t, 'spin', async (child) => {
    // By then it computes.
    await new Promise((resolve) => setTimeout(resolve, 200))
    child.kill('SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS))
    child.kill('SIGCONT')
  })
  const { wholeMs, cpuMs, waitedMs } = block
  agrees(block, { js: cpuMs, waiting: waitedMs, asleep: 0, stopped: wholeMs - cpuMs - waitedMs })
})

test('a synchronous child: the wait is asleep', { skip }, async (t) => {
  const block = await blockOf(t, 'sleep')
  const { wholeMs, cpuMs, waitedMs } = block
  agrees(block, { waiting: waitedMs, asleep: wholeMs - cpuMs - waitedMs, stopped: 0 })
  assert.equal(block.record.cause, 'sync-io')
})
