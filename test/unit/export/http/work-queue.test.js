'use strict'

// Whoever may ask may ask for much: the thread that watches must not run out of memory over it.
const test = require('node:test')
const assert = require('node:assert/strict')
const { STREAMS } = require('../../../../lib/export/http/event-streams')
const { WorkQueue } = require('../../../../lib/export/http/work-queue')

test('work goes on one after the other, also after one that fails; who comes when too many wait is turned away', async () => {
  const queue = new WorkQueue()
  let running = 0
  const work = async (/** @type {number} */ i) => {
    assert.equal(++running, 1)
    await new Promise((resolve) => setTimeout(resolve, 1))
    running--
    if (i === 3) throw new Error('on purpose')
    return i
  }
  const taken = Array.from({ length: STREAMS + 5 }, (_, i) => queue.add(() => work(i)))
  assert.deepEqual(taken.map((result) => result === null), taken.map((_, i) => i > STREAMS))
  const results = await Promise.allSettled(taken.slice(0, STREAMS + 1))
  assert.deepEqual(results.map((result) => result.status === 'fulfilled' ? result.value : result.reason.message), results.map((_, i) => i === 3 ? 'on purpose' : i))
  assert.equal(await queue.add(() => 'again'), 'again')
})
