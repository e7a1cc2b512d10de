'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { BlockLog } = require('../../../lib/export/log/log')
const { sentenceOf } = require('../../../lib/util/sentence')
const { fileOf, flameOf, formats, profileOf } = require('../../../lib/export/profiles/profiles')
const { resolveOptions } = require('../../../lib/options/table')
const { mergeNewest } = require('../../../lib/store/memory')
const { isRecord, summaryOf } = require('../../../lib/store/record')
const { PageFeed } = require('../../../lib/watchdog/page-feed/feed')
const { makeDir } = require('../../support/files')
const { LINKIFY_ISSUE, makeRecord, NEW } = require('../../support/record')

test('a block of an earlier version, which knew no packages, is read as well, and one that says nonsense of it is not', () => {
  const { package: none, ...earlier } = makeRecord()
  const moment = { name: 'moment', version: '2.29.1', bugs: null }
  for (const record of [
    earlier,
    makeRecord({ package: null }),
    makeRecord({ package: moment }),
    makeRecord({ package: { ...moment, version: null } })
  ]) {
    assert.ok(isRecord(record), JSON.stringify(record))
  }
  for (const wrong of ['moment', {}, { name: 7 }, { ...moment, version: 2 }]) assert.ok(!isRecord({ ...earlier, package: wrong }), JSON.stringify(wrong))
})

/** A record with everything a record can have. */
function makeFullRecord () {
  const frame = { function: 'query', file: '/srv/app/db.js', line: 3, column: 5 }
  const request = /** @type {any} */ (makeRecord().request)
  return makeRecord({
    request: { ...request, ended: false, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
    package: { name: 'pg', version: '8.11.3', bugs: 'https://github.com/brianc/node-postgres/issues' },
    packageIssue: LINKIFY_ISSUE,
    change: NEW,
    query: { text: 'SELECT ?', durationMs: 90, count: 2, totalMs: 91, more: true },
    origin: { type: 'Timeout', durationMs: 200, frame, frames: [frame] },
    profile: { samples: 5, call: 'JSON.parse', stacks: [{ count: 5, weightMs: 50, frames: [frame] }] }
  })
}

/** Every place in a value. @param {any} value @returns {(string | number)[][]} */
const pathsOf = (value) => typeof value !== 'object' || value === null
  ? []
  : Object.keys(value).flatMap((key) => [[key], ...pathsOf(value[key]).map((rest) => [key, ...rest])])

/** @param {any} value @param {(string | number)[]} path @param {unknown} junk undefined: without it */
function mutated (value, path, junk) {
  const copy = structuredClone(value)
  const owner = path.slice(0, -1).reduce((at, key) => at[key], copy)
  owner[path[path.length - 1]] = junk
  return JSON.parse(JSON.stringify(copy))
}

test('a record with any field wrong is refused, or shown and exported like any other', async (t) => {
  const dir = makeDir(t)
  let clockMs = 0
  const log = new BlockLog({ log: { destination: path.join(dir, 'log') }, nowMs: () => (clockMs += 60000), onState: () => {} })
  t.after(() => log.close())
  /** @param {any} record */
  const show = async (record) => {
    const own = { ...record, worker: 1 }
    const page = new PageFeed({
      options: resolveOptions({}, {}),
      bridge: openBridge(createMemory()),
      monitor: { state: { activeMs: 0, idleMs: 0, inProgressMs: 0, heartbeatAgeMs: 0 } },
      blocks: { records: () => [own], ongoing: [own] },
      health: { entries: () => [] },
      cluster: { blockedMs: [{ worker: 1, blockedMs: 0 }] }
    })
    page
      .connect()
      .stream?.(/** @type {any} */ ({ once: () => {}, write: () => {}, destroy: () => {}, writableLength: 0 }))
    page.put(own)
    for (const [format, { ending }] of Object.entries(formats)) {
      const whole = await profileOf([own, makeRecord()], new URLSearchParams({ format, group: 'route,cause,thread,worker' }))
      assert.equal(whole.status, 200)
      assert.ok(fileOf(`${own.id}.${ending}`, () => own))
    }
    await profileOf([own], new URLSearchParams({ seconds: '60', route: '/', cause: 'js' }))
    JSON.stringify([await flameOf([own]), mergeNewest([summaryOf(own)], [makeRecord()])])
    sentenceOf(own)
    log.settled(own)
  }
  const full = makeFullRecord()
  for (const record of [full, makeRecord(), { ...full, cause: 'constructor' }, { ...full, leaf: { ...full.frame, line: -4 } }]) {
    assert.ok(isRecord(record))
    await show(record)
  }
  let accepted = 0
  let refused = 0
  for (const place of pathsOf(full)) {
    for (const junk of [undefined, null, 0, -1, 0.5, 1e300, '', 'x', '\0', true, [], [null], [[]], {}, { frames: 1 }]) {
      const record = mutated(full, place, junk)
      if (isRecord(record)) {
        accepted++
        await show(record).catch((cause) => { throw new Error(`${place.join('.')} = ${JSON.stringify(junk)} is accepted: ${cause.message}`, { cause }) })
      } else {
        refused++
      }
    }
  }
  assert.ok(accepted > 50 && refused > 400, `${accepted} accepted, ${refused} refused`)
  for (const wrong of [{ origin: {} }, { stacks: [null] }, { stacks: [{ frames: [null], count: 1, weightMs: 1 }] }, { request: {} }, { profile: {} }, { evidence: [] }, { package: {} }, { package: 'pg' }, { startedAt: 'today' }]) {
    assert.ok(!isRecord({ ...full, ...wrong }), JSON.stringify(wrong))
  }
})
