'use strict'

// runtime: CPU time and answers of the stuck thread
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')

const skip = process.platform !== 'linux' && '/proc is needed'
const STOPPED_MS = 2000
/** A third of a CPU. */
const QUOTA = { us: 33_000, periodUs: 100_000 }
/** Starts a command in the control group that is its first argument. */
const INTO_GROUP = 'echo $$ > "$0/cgroup.procs" && exec "$@"'

/**
 * What a block of an application was, and what /proc said of the same time.
 * @param {import('node:test').TestContext} t @param {string} kind @param {(child: any) => Promise<void>} [disturb]
 * @param {string[]} [under] a command that starts it
 */
async function blockOf (t, kind, disturb = async () => {}, under = []) {
  const [node = process.execPath, ...args] = [...under, ...under.length > 0 ? [process.execPath] : []]
  const app = startNode(t, [...args, require.resolve('../fixtures/parts-app.js'), kind], { node })
  await eventually(() => app.out.stdout.includes('ready'), () => `ready; stderr: ${app.out.stderr}`)
  await disturb(app.child)
  const line = await eventually(() => /^\{.*\}$/m.exec(app.out.stdout), () => `a record; stderr: ${app.out.stderr}`)
  return JSON.parse(line[0])
}

/** Within a tenth of the block. @param {any} block @param {Record<string, number>} expected parts in ms */
function agrees ({ record, ...seen }, expected) {
  for (const [part, ms] of Object.entries(expected)) {
    const text = `${part}: ${record.parts[part]}, not about ${ms}: ${JSON.stringify({ seen, ...record })}`
    assert.ok(Math.abs(record.parts[part] - ms) <= record.durationMs / 10, text)
  }
}

test('two busy loops on one CPU: the half that waited is waiting, as /proc says', { skip }, async (t) => {
  const cpu = os.availableParallelism() - 1
  const pinned = ['taskset', '-c', `${cpu}`]
  startNode(t, ['-c', `${cpu}`, process.execPath, '-e', 'for (;;);'], { node: 'taskset' })
  const block = await blockOf(t, 'spin', undefined, pinned)
  agrees(block, { js: block.cpuMs, waiting: block.waitedMs, asleep: 0, stopped: 0 })
  assert.ok(block.record.parts.waiting > 0.2 * block.record.durationMs, JSON.stringify(block.record))
  assert.equal(block.record.cause, 'js')
})

/** Writes the quota of a new control group, by version 1 or 2. @type {Record<string, (folder: string) => void>} */
const quotas = {
  '/sys/fs/cgroup/cpu': (folder) => {
    fs.writeFileSync(path.join(folder, 'cpu.cfs_period_us'), `${QUOTA.periodUs}`)
    fs.writeFileSync(path.join(folder, 'cpu.cfs_quota_us'), `${QUOTA.us}`)
  },
  '/sys/fs/cgroup': (folder) => fs.writeFileSync(path.join(folder, 'cpu.max'), `${QUOTA.us} ${QUOTA.periodUs}`)
}

/** A control group like that of a container with a limit; null if this user may not make one. */
function makeGroup () {
  for (const [root, limit] of Object.entries(quotas)) {
    const folder = path.join(root, `loopwatch-test-${process.pid}`)
    try {
      fs.mkdirSync(folder)
      limit(folder)
      return folder
    } catch {
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
  return null
}

test('a container with a third of a CPU: what it must wait for is waiting', { skip }, async (t) => {
  const group = makeGroup()
  if (group === null) return t.skip('this user may not make a control group')
  try {
    const block = await blockOf(t, 'spin', undefined, ['sh', '-c', INTO_GROUP, group])
    const { cpuMs, wholeMs } = block
    agrees(block, { js: cpuMs, waiting: wholeMs - cpuMs, asleep: 0, stopped: 0 })
    assert.ok(block.record.evidence.throttledMs > 0, JSON.stringify(block.record.evidence))
  } finally {
    for (const pid of fs.readFileSync(path.join(group, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? []) process.kill(Number(pid), 'SIGKILL')
    await eventually(() => {
      try { fs.rmdirSync(group) } catch { return false }
      return true
    }, () => 'the control group is gone')
  }
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
