'use strict'

const assert = require('node:assert/strict')

/** @typedef {import('../../lib/export/timeline/trace-events').TraceEvent} TraceEvent */

const isCount = (/** @type {unknown} */ value) => Number.isSafeInteger(value) && Number(value) >= 0
const isText = (/** @type {unknown} */ value) => typeof value === 'string' && value !== ''

/** What each phase has to have ("Trace Event Format"). @type {Record<string, (event: any) => boolean>} */
const PHASES = {
  X: ({ ts, dur }) => isCount(ts) && isCount(dur),
  b: ({ ts, cat, id }) => isCount(ts) && isText(cat) && isText(id),
  e: ({ ts, cat, id }) => isCount(ts) && isText(cat) && isText(id),
  C: ({ ts, args }) => isCount(ts) && Object.values(args).length > 0 && Object.values(args).every(Number.isFinite),
  M: ({ name, args }) => name === 'thread_sort_index' ? isCount(args.sort_index) : isText(args.name)
}

/** Fails unless a text is a file of the Trace Event format. @param {string} text @returns {TraceEvent[]} */
exports.readTrace = (text) => {
  const { traceEvents, displayTimeUnit, otherData } = JSON.parse(text)
  assert.ok(Array.isArray(traceEvents) && ['ms', 'ns'].includes(displayTimeUnit) && typeof otherData === 'object')
  exports.checkEvents(traceEvents)
  return traceEvents
}

/** @param {TraceEvent[]} events */
exports.checkEvents = (events) => {
  /** @type {Map<string, TraceEvent>} */
  const open = new Map()
  /** @type {Map<string, number>} by track */
  const endsBy = new Map()
  let lastTs = 0
  for (const event of events) {
    const { ph, name, pid, tid, ts = lastTs, dur = 0, cat, id } = event
    assert.ok(Object.hasOwn(PHASES, ph) && PHASES[ph](event), JSON.stringify(event))
    assert.ok(isText(name) && isCount(pid) && isCount(tid), JSON.stringify(event))
    assert.ok(ts >= lastTs, `${JSON.stringify(event)} is before ${lastTs}`)
    lastTs = ts
    const key = `${pid} ${cat} ${id}`
    if (ph === 'b') {
      assert.ok(!open.has(key), `${key} begins twice`)
      open.set(key, event)
    } else if (ph === 'e') {
      assert.equal(open.get(key)?.name, name, `${key} ends and has not begun`)
      open.delete(key)
    } else if (ph === 'X') {
      // Slices of a track may not overlap; a microsecond is what rounding does.
      const track = `${pid} ${tid}`
      assert.ok(ts >= (endsBy.get(track) ?? 0) - 1 || event.cat === 'block', `${JSON.stringify(event)} overlaps another`)
      endsBy.set(track, ts + dur)
    }
  }
  assert.deepEqual([...open.keys()], [], 'what has begun ends')
}
