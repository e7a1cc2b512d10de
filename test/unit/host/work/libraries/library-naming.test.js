'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { THREAD_WORK } = require('../../../../../lib/bridge/messages')
const { Naming } = require('../../../../../lib/host/work/libraries/library-naming')

function makeNaming () {
  /** @type {string[]} */
  const begun = []
  /** @type {any[]} */
  const posted = []
  const works = {
    /** @param {any} known @param {() => any} fn */
    begin: (known, fn) => {
      begun.push(known.name)
      return fn()
    },
    /** @param {any} known */
    beginThread: (known) => {
      begun.push(known.name)
      return { work: /** @type {any} */ ({ ...known, id: 7, startedAtMs: 1 }), end: () => { begun.push('end') } }
    }
  }
  return { naming: new Naming(works, (message) => posted.push(message)), begun, posted }
}

test('a call of a method is work with the name its callback returns, until the method is restored', () => {
  const { naming, begun } = makeNaming()
  class Queue {
    base = 1
    /** @param {number} a @param {number} b */
    take (a, b) { return this.base + a + b }
  }
  const { take } = Queue.prototype
  naming.calls(Queue.prototype, ['take'], (self, [a]) => a === 0 ? null : { kind: 'job', name: `${self.base}:${a}` })
  const queue = new Queue()
  assert.deepEqual([queue.take(2, 3), queue.take(0, 1), begun], [6, 2, ['1:2']])
  assert.deepEqual([queue.take.name, queue.take.length], ['take', 2])
  naming.stop()
  assert.equal(Queue.prototype.take, take)
})

test('what it reads of a library may be elsewhere in another version: the call goes on without a name', () => {
  const { naming, begun } = makeNaming()
  const library = { run: () => 'done', prepare: () => 'ready', spawn: () => null }
  naming.calls(library, ['run'], (_, [{ name }]) => ({ kind: 'job', name }))
  naming.before(library, ['prepare'], (_, [{ name }]) => name)
  naming.threads(library, ['spawn'], (_, [{ name }]) => ({ kind: 'job', name }))
  naming.calls(library, ['absent'], () => null)
  assert.deepEqual([library.run(), library.prepare(), library.spawn(), begun], ['done', 'ready', null, []])
})

test('a function that has a name keeps it, and is wrapped once; what is none stays as it is', () => {
  const { naming, begun } = makeNaming()
  /** @this {any} @param {string} text */
  function handle (text) { return [this.own, text] }
  const named = naming.named(handle, ([text]) => ({ kind: 'job', name: text }))
  assert.equal(naming.named(named, () => null), named)
  assert.deepEqual(named.call({ own: 1 }, 'a'), [1, 'a'])
  assert.deepEqual(begun, ['a'])
  assert.equal(naming.named(/** @type {any} */ (undefined), () => null), undefined)
})

test('all that a thread does is one piece of work, until it ends or its listeners are taken away', () => {
  for (const end of [(/** @type {EventEmitter} */ worker) => worker.emit('exit', 0), (/** @type {EventEmitter} */ worker) => worker.removeAllListeners('exit')]) {
    const { naming, begun, posted } = makeNaming()
    const worker = Object.assign(new EventEmitter(), { threadId: 3 })
    const pool = { create: () => worker }
    naming.threads(pool, ['create'], () => ({ kind: 'job', name: 'report' }))
    assert.equal(pool.create(), worker)
    assert.deepEqual(posted, [{ code: THREAD_WORK, threadId: 3, work: { kind: 'job', name: 'report', id: '7', startedAtMs: 1 } }])
    assert.deepEqual(begun, ['report'])
    end(worker)
    assert.deepEqual(begun, ['report', 'end'])
    assert.deepEqual(worker.eventNames(), [])
  }
})
