'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { makePaths } = require('../../../../lib/export/http/paths')

test('/blocks gives as many as are asked for, and refuses what it does not know', () => {
  const records = [4, 3, 2, 1].map((s) => ({ id: `1-${s}`, startedAt: `2026-11-27T10:00:0${s}.000Z`, durationMs: 500 }))
  const paths = makePaths(/** @type {any} */ ({ blocks: () => records }))
  /** @param {string} query */
  const ask = (query) => {
    const { status, body } = /** @type {any} */ (paths['/blocks'](/** @type {any} */ ({ query: new URLSearchParams(query) })))
    return { status, answer: JSON.parse(body) }
  }
  /** @param {string} query */
  const ids = (query) => ask(query).answer.map((/** @type {any} */ { id }) => id)
  assert.deepEqual(ids(''), ['1-4', '1-3', '1-2', '1-1'])
  assert.deepEqual(ids('limit=1'), ['1-4'])
  assert.deepEqual(ids('since=2026-11-27T10:00:02.500Z'), ['1-4', '1-3', '1-2'], 'those that ended later, too')
  assert.deepEqual(ids(`since=${Date.parse('2026-11-27T10:00:03Z')}&limit=5`), ['1-4', '1-3'])
  for (const query of ['limit=0', 'limit=-1', 'limit=x', 'limit=', 'since=yesterday', 'since=', 'cause=js', 'Limit=1']) {
    const { status, answer } = ask(query)
    assert.deepEqual([status, typeof answer.error], [400, 'string'], query)
  }
})

test('no path that picks blocks takes a parameter that it does not know', () => {
  const paths = makePaths(/** @type {any} */ ({}))
  for (const path of ['/blocks', '/blocks/:id', '/block', '/slow', '/profile', '/flame', '/timeline', '/recording']) {
    const { status, body } = /** @type {any} */ (paths[path](/** @type {any} */ ({ query: new URLSearchParams('Id=1'), id: '1' })))
    assert.equal(status, 400, path)
    assert.match(JSON.parse(body).error, /^this path takes (?:no parameters|only )/)
  }
})

test('/slow gives the latest incidents without a block, newest first', () => {
  const incidents = [{ kind: 'busy_loop' }, { kind: 'waiting' }]
  const paths = makePaths(/** @type {any} */ ({ incidents: () => incidents }))
  const { body } = /** @type {any} */ (paths['/slow'](/** @type {any} */ ({ query: new URLSearchParams() })))
  assert.deepEqual(JSON.parse(body), [{ kind: 'waiting' }, { kind: 'busy_loop' }])
})
