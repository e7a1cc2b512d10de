'use strict'

// runtime: async hooks and diagnostics channels
const test = require('node:test')
const assert = require('node:assert/strict')
const { AsyncResource } = require('node:async_hooks')
const { channel } = require('node:diagnostics_channel')
const { setTimeout: sleep } = require('node:timers/promises')
const { WorkLater } = require('../../../../lib/host/work/lazy-work-tracking')

/** Takes a number, as a promise does where it is followed. */
const newId = () => new AsyncResource('TEST', { requireManualDestroy: true })

/** What follows work, and what it has been asked for. */
function makeFollower () {
  /** @type {any[]} */
  const calls = []
  const note = (/** @type {string} */ name) => (/** @type {any[]} */ ...args) => {
    calls.push([name, ...args])
    return name === 'run' ? args[1]() : name
  }
  const works = { current: note('current'), run: note('run'), follow: note('follow') }
  const waits = { beat: () => {} }
  const started = { works, waits, requests: { late: note('late') }, stop: note('stop') }
  const start = (/** @type {any[]} */ listening) => {
    calls.push(['start', ...listening])
    return started
  }
  return { calls, start: /** @type {any} */ (start) }
}

test('nothing is loaded before the loop turns; by then everything is', async () => {
  const { calls, start } = makeFollower()
  const works = new WorkLater(start)
  assert.deepEqual(works.current(), { context: undefined, isCertain: true })
  works.late(1, 2)
  assert.deepEqual(calls, [])
  // The test itself is what the process waits for.
  const waits = setInterval(() => {}, 1000)
  const untilMs = performance.now() + 5000
  while (calls.length === 0 && performance.now() < untilMs) await sleep(1)
  clearInterval(waits)
  assert.deepEqual(calls, [['start']])
  assert.equal(works.current(), 'current')
  works.late(3, 4)
  assert.deepEqual(calls.at(-1), ['late', 3, 4])
  works.stop()
})

test('work that is named earlier is followed from there on, and it starts once', async () => {
  const { calls, start } = makeFollower()
  const works = new WorkLater(start)
  const fn = () => 7
  assert.equal(works.run('import', fn), 7)
  works.follow(true)
  await sleep(60)
  assert.deepEqual(calls, [['start'], ['run', 'import', fn, undefined], ['follow', true]])
  works.stop()
  assert.deepEqual(calls.at(-1), ['stop'])
})

test('a connection is what it does not wait any longer for', () => {
  const { calls, start } = makeFollower()
  let held = 0
  const works = new WorkLater(start, (step) => { held++; step() })
  channel('net.server.socket').publish({ socket: {} })
  channel('net.server.socket').publish({ socket: {} })
  assert.deepEqual(calls, [['start']])
  works.run('import', () => {})
  assert.equal(held, 1, 'it starts once, as a step of the agent')
  works.stop()
})

test('a server that begins to listen is handed on, as its message cannot be heard again', () => {
  const { calls, start } = makeFollower()
  const works = new WorkLater(start)
  const server = { name: 'orders' }
  channel('tracing:net.server.listen:asyncStart').publish({ server })
  channel('tracing:net.server.listen:asyncStart').publish({ server })
  assert.deepEqual(calls, [['start', server]])
  works.stop()
})

test('an agent that stops before starts nothing any more', async () => {
  const { calls, start } = makeFollower()
  const works = new WorkLater(start)
  works.stop()
  works.follow(true)
  assert.equal(works.run('import', () => 7), 7)
  assert.throws(() => works.run('', () => 7), { code: 'LOOPWATCH_ERR_ARGUMENT' })
  channel('net.server.socket').publish({ socket: {} })
  await sleep(60)
  assert.deepEqual(calls, [])
})

test('a module that cannot be loaded causes one warning and throws nothing', async (t) => {
  /** @type {string[]} */
  const warnings = []
  const onWarning = (/** @type {Error} */ { message }) => warnings.push(message)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const works = new WorkLater(() => { throw new Error('no such file') })
  const untilMs = performance.now() + 5000
  while (warnings.length === 0 && performance.now() < untilMs) await sleep(5)
  assert.deepEqual(warnings, ['loopwatch does not see requests: no such file'])
  assert.deepEqual(works.current(), { context: undefined, isCertain: true })
  assert.equal(works.run('import', () => 7), 7)
  works.follow(true)
  works.stop()
})

for (const isHeld of [false, true]) {
  test(`the end of costly following is ${isHeld ? 'not reported if named work is followed' : 'reported'}`, async () => {
    const { start } = makeFollower()
    let costly = 0
    const withHold = (/** @type {any} */ listening) => {
      const started = start(listening)
      return { ...started, works: { ...started.works, isFollowing: isHeld } }
    }
    const works = new WorkLater(/** @type {any} */ (withHold), (step) => step(), () => { costly++ })
    works.follow(true)
    works.beat(1000)
    // More than a million a second.
    for (let i = 0; i < 1_050_000; i++) newId()
    works.beat(2000)
    works.stop()
    assert.equal(costly, isHeld ? 0 : 1)
  })
}
