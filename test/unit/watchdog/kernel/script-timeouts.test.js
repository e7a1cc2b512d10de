'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { ScriptTimeouts } = require('../../../../lib/watchdog/kernel/script-timeouts')

const EPOLL = '281 0x9 0x7f 0x400 0xffffffffffffffff 0x0 0x8 0x7f 0x7f'
const FUTEX = '202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7f 0x7f'

/**
 * A folder of threads as the kernel shows it; the one that reads began at tick 100, which is 1000 ms.
 * @param {import('node:test').TestContext} t
 */
function machine (t) {
  const tasks = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-tasks-'))
  t.after(() => fs.rmSync(tasks, { recursive: true }))
  /** @param {number} tid @param {number} ticks @param {string} call @param {number} [ranMs] */
  const begin = (tid, ticks, call, ranMs = 0.1) => {
    fs.mkdirSync(path.join(tasks, `${tid}`), { recursive: true })
    fs.writeFileSync(path.join(tasks, `${tid}`, 'stat'), `${tid} (a ) b) S ${'0 '.repeat(18)}${ticks} 0 0`)
    fs.writeFileSync(path.join(tasks, `${tid}`, 'syscall'), `${call}\n`)
    fs.writeFileSync(path.join(tasks, `${tid}`, 'schedstat'), `${ranMs * 1e6} 1000 7\n`)
  }
  begin(7, 100, 'running')
  const beat = { atMs: 1000 }
  const scripts = new ScriptTimeouts(() => beat.atMs, 1000, { tasks, own: path.join(tasks, '7'), arch: 'x64' })
  return { begin, end: (/** @type {number} */ tid) => fs.rmSync(path.join(tasks, `${tid}`), { recursive: true }), beat, scripts }
}

test('a thread that began after the last beat and waits for events may end a script', (t) => {
  const { begin, end, beat, scripts } = machine(t)
  begin(1, 5, EPOLL)
  beat.atMs = 2000
  assert.equal(scripts.mayEnd, false)
  begin(8, 201, EPOLL)
  assert.equal(scripts.mayEnd, true)
  end(8)
  assert.equal(scripts.mayEnd, false)
})

test('a new thread with the id of one that has ended may end a script', (t) => {
  const { begin, end, beat, scripts } = machine(t)
  begin(8, 5, FUTEX)
  beat.atMs = 2000
  assert.equal(scripts.mayEnd, false)
  end(8)
  assert.equal(scripts.mayEnd, false)
  begin(8, 201, EPOLL)
  assert.equal(scripts.mayEnd, true)
})

test('so may one that has only just begun', (t) => {
  const { begin, scripts } = machine(t)
  begin(8, 101, 'running')
  assert.equal(scripts.mayEnd, true)
})

test('new threads of the pool wait for work, and end nothing', (t) => {
  const { begin, scripts } = machine(t)
  for (const tid of [8, 9, 10, 11]) begin(tid, 101, FUTEX)
  assert.equal(scripts.mayEnd, false)
})

test('a worker thread that has started is not a suspect, nor is any once the loop has beaten', (t) => {
  const { begin, beat, scripts } = machine(t)
  begin(8, 101, EPOLL, 6)
  assert.equal(scripts.mayEnd, false)
  begin(8, 101, EPOLL)
  assert.equal(scripts.mayEnd, true)
  beat.atMs = 1100
  assert.equal(scripts.mayEnd, false)
})

test('without /proc nothing is known', () => {
  assert.equal(new ScriptTimeouts(() => 0, 0, { tasks: '/nowhere', own: '/nowhere' }).mayEnd, false)
})
