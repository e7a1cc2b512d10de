'use strict'

// runtime: async contexts
const test = require('node:test')
const assert = require('node:assert/strict')
const { EventEmitter, once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')
const { unpackWork } = require('../../../../lib/bridge/request-row')
const { noRequests } = require('../../../../lib/host/work/http/requests')
const { Contexts } = require('../../../../lib/host/work/contexts')
const { Work } = require('../../../../lib/host/work/work')
const { Works } = require('../../../../lib/host/work/works')

/** @param {import('node:test').TestContext} t @param {number} [most] @param {() => number} [now] */
function makeWorks (t, most, now) {
  const bridge = openBridge(createMemory())
  const works = new Works(bridge, new Contexts(true, now), noRequests, most)
  t.after(() => works.stop())
  const here = () => works.current().work
  /** What has ended: [name, kind]. */
  const ended = () => bridge.works.drain().map(([packed]) => {
    const { name, kind } = unpackWork(packed)
    return [bridge.workNames.stringOf(name), kind]
  })
  return { works, bridge, here, ended }
}

test('a run returns what its function returns, and the work has ended by then', (t) => {
  const { works, bridge, here, ended } = makeWorks(t)
  assert.equal(works.run('sum', () => {
    assert.equal(here()?.name, 'sum')
    assert.equal(bridge.counters.get('workInFlight'), 1)
    return 5
  }), 5)
  assert.equal(here(), undefined)
  assert.equal(bridge.counters.get('workInFlight'), 0)
  assert.deepEqual(ended(), [['sum', 'task']])
})

test('what a run throws or rejects with comes out as it was', async (t) => {
  const { works, bridge, ended } = makeWorks(t)
  const error = new Error('no')
  assert.throws(() => works.run('throws', () => { throw error }), (thrown) => thrown === error)
  await assert.rejects(works.run('rejects', async () => { throw error }), (thrown) => thrown === error)
  assert.equal(bridge.counters.get('workInFlight'), 0)
  assert.deepEqual(ended(), [['throws', 'task'], ['rejects', 'task']])
})

test('an unhandled rejection is reported once, as without a run', async (t) => {
  const { works } = makeWorks(t)
  /** @type {unknown[]} */
  const told = []
  const listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => { told.push(reason) })
  t.after(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
  })
  const error = new Error('nobody')
  works.run('left', async () => { throw error })
  await sleep(10)
  assert.deepEqual(told, [error])
})

test('work is followed through awaits, timers, listeners and promises, each as its own', async (t) => {
  const { works, here } = makeWorks(t)
  const emitter = new EventEmitter()
  await Promise.all(['a', 'b', 'c'].map((name) => works.run(name, async () => {
    await sleep(1)
    assert.equal(here()?.name, name)
    await new Promise((resolve) => setTimeout(() => {
      assert.equal(here()?.name, name)
      setImmediate(resolve)
    }, 1))
    const told = once(emitter, name)
    emitter.once(name, () => assert.equal(here()?.name, name))
    emitter.emit(name)
    await told
    assert.equal(here()?.isEnded, false)
  })))
})

test('what a run leaves behind is its own, and over', async (t) => {
  const { works, here } = makeWorks(t)
  await new Promise((resolve) => works.run('outlived', () => {
    setTimeout(() => {
      assert.deepEqual([here()?.name, here()?.isEnded], ['outlived', true])
      resolve(undefined)
    }, 1)
  }))
})

test('nested work says its parent and the whole that it is part of; a job begins anew', (t) => {
  const { works, here } = makeWorks(t)
  works.run('outer', () => {
    const outer = here()
    works.run('middle', () => works.run('inner', () => {
      assert.equal(here()?.parent?.name, 'middle')
      assert.equal(here()?.rootId, outer?.id)
    }))
    works.begin({ kind: 'job', name: 'queue' }, () => assert.deepEqual([here()?.kind, here()?.parent, here()?.rootId], ['job', null, here()?.id]))
    works.begin({ kind: 'operation', name: 'query', isPart: true }, () => assert.equal(here()?.parent?.name, 'outer'))
  })
})

test('what has begun while nothing is followed is open until it ends, also for some time after following has begun', async (t) => {
  let nowMs = 0
  const { works } = makeWorks(t, Infinity, () => nowMs)
  const names = () => [...works.current().open ?? []].map((each) => 'name' in each && each.name)
  /** @type {(() => void)[]} */
  const ends = []
  const begin = (/** @type {string} */ name, isPart = false) =>
    works.begin({ kind: 'job', name, isPart }, () => new Promise((resolve) => { ends.push(() => resolve(null)) }))
  const first = begin('first')
  begin('second')
  begin('part', true)
  assert.deepEqual(names(), ['first', 'second'])
  works.follow(true)
  begin('followed')
  assert.deepEqual(names(), ['first', 'second'])
  ends[0]()
  await first
  assert.deepEqual(names(), ['second'])
  nowMs = 11_000
  assert.deepEqual(names(), [], 'what is still open is no request that is being answered')
  works.follow(false)
  assert.deepEqual(names(), ['second', 'followed'], 'all that has lost its context by that')
  works.run('named', () => assert.deepEqual(names(), [], 'it is known what runs'))
  works.stop()
  assert.deepEqual(names(), [])
})

test('of thousands that are open and that nobody follows a thousand are kept', (t) => {
  const { works } = makeWorks(t)
  for (let i = 0; i < 5000; i++) works.begin({ kind: 'message', name: 'm' }, () => new Promise(() => {}))
  assert.equal(works.current().open?.size, 1000)
})

test('work that starts itself again for ever keeps no chain of what went before', async (t) => {
  const { works, here } = makeWorks(t)
  await new Promise((resolve) => {
    const tick = (/** @type {number} */ left) => works.run('tick', () => {
      assert.equal(here()?.rootId, here()?.id)
      if (left === 0) resolve(undefined)
      else setImmediate(() => tick(left - 1))
    })
    tick(50)
  })
  const seen = new Set()
  await new Promise((resolve) => works.run('a', () => setImmediate(() => works.run('b', () => setImmediate(() => works.run('c', () => {
    const c = here()
    // The parent of c is b, which is over and so holds a by name alone.
    seen.add(c?.parent?.name)
    resolve(undefined)
  }))))))
  assert.deepEqual([...seen], ['b'])
})

test('names beyond the bound are counted as others, and those within keep theirs', (t) => {
  const { works, ended } = makeWorks(t, 2)
  for (const name of ['a', 'b', 'c', 'd', 'a']) works.run(name, () => {})
  assert.deepEqual(ended().map(([name]) => name), ['a', 'b', null, null, 'a'])
})

test('a name of any length is cut to 200 characters', (t) => {
  const { works, here } = makeWorks(t)
  works.run('x'.repeat(1e6), () => assert.equal(here()?.name.length, 200))
})

test('attributes are copied: 8 of them, of 200 characters each, strings and numbers alone', (t) => {
  const { works, here } = makeWorks(t)
  const given = /** @type {any} */ ({ a: 'x'.repeat(300), b: 2, c: NaN, d: {}, e: null, f: () => {}, g: true, h: 10n })
  for (let i = 0; i < 20; i++) given[`more${i}`] = i
  works.run('with', () => {
    const { attributes } = /** @type {any} */ (here())
    given.b = 3
    assert.deepEqual(Object.keys(attributes), ['a', 'b', ...Array.from({ length: 6 }, (_, i) => `more${i}`)])
    assert.deepEqual([attributes.a.length, attributes.b], [200, 2])
  }, given)
})

test('an empty or non-string name, a missing function and odd attributes are refused with what was expected', (t) => {
  const { works } = makeWorks(t)
  for (const name of /** @type {any[]} */ ([undefined, null, '', 7, {}, Symbol('s')])) {
    assert.throws(() => works.run(name, () => {}), { code: 'LOOPWATCH_ERR_ARGUMENT', message: /^the name in run\(name, fn\) must be a string that is not empty, got / })
  }
  assert.throws(() => works.run('a', /** @type {any} */ (undefined)), { code: 'LOOPWATCH_ERR_ARGUMENT', message: 'fn in run(name, fn) must be a function, got undefined' })
  for (const attributes of /** @type {any[]} */ (['text', 7, []])) assert.throws(() => works.run('a', () => {}, attributes), { code: 'LOOPWATCH_ERR_ARGUMENT' })
})

test('once stopped, a run is a plain call, and what was open ends without a word', async (t) => {
  const { works, bridge, here } = makeWorks(t)
  const open = works.run('open', () => sleep(5, 'kept'))
  works.stop()
  assert.equal(works.run('plain', () => here()), undefined)
  assert.equal(await open, 'kept')
  assert.equal(bridge.works.isEmpty, true)
})

test('before start(), run and wrap of the package are plain calls that check what they are given', async () => {
  const { run, wrap } = require('../../../../lib')
  assert.equal(run('a', () => 5), 5)
  assert.equal(await run('a', async () => 6, { id: 1 }), 6)
  assert.throws(() => run('', () => {}), { code: 'LOOPWATCH_ERR_ARGUMENT' })
  assert.throws(() => run('a', () => {}, /** @type {any} */ ('b')), { code: 'LOOPWATCH_ERR_ARGUMENT' })
  const object = {
    x: 2,
    /** @param {number} a @param {number} b */
    times (a, b) {
      return this.x * a * b
    }
  }
  const wrapped = wrap('times', object.times)
  assert.equal(wrapped.call(object, 3, 4), 24)
  assert.deepEqual([wrapped.name, wrapped.length], ['times', 2])
  assert.throws(() => wrap(/** @type {any} */ (7), () => {}), { code: 'LOOPWATCH_ERR_ARGUMENT', message: /wrap\(name, fn\)/ })
  assert.throws(() => wrap('a', /** @type {any} */ (7)), { code: 'LOOPWATCH_ERR_ARGUMENT' })
})

test('work whose end is unknown ends later: what it has set going is not its own for good', async () => {
  const work = new Work(1, 'message', 'socket.io join', null, 0)
  work.end(20)
  assert.equal(work.isEnded, false)
  await new Promise((resolve) => { setTimeout(resolve, 25) })
  assert.equal(work.isEnded, true)
})
