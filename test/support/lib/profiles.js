'use strict'

// Blocks to make profiles of, and what is in a profile.
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const pprof = require('pprof-format')
const { makeRecord } = require('../record')

/** @typedef {import('../../../lib/types').BlockRecord} BlockRecord */

/** @param {string} name @param {number} line */
const frame = (name, line) => ({ function: name, file: '/srv/app/report.js', line, column: 3 })
const handler = frame('handle', 5)
const request = { method: 'GET', route: '/report/:id', startedAt: '2026-11-21T10:00:00.100Z', traceId: null, ended: false }

/** Newest first. @returns {BlockRecord[]} */
const blocks = () => [
  makeRecord({ id: '1-4', startedAt: '2026-11-21T10:00:03.000Z', durationMs: 70, cause: 'starved', request: null, stacks: [{ count: 2, weightMs: 70, frames: [frame('innocent', 1)] }] }),
  makeRecord({ id: '1-3', startedAt: '2026-11-21T10:00:02.000Z', durationMs: 60, cause: 'native', request: { ...request, ended: true }, stacks: [] }),
  makeRecord({ id: '1-2', startedAt: '2026-11-21T10:00:01.000Z', durationMs: 100, request, stacks: [{ count: 4, weightMs: 100, frames: [frame('sort', 30), handler] }] }),
  makeRecord({ id: '1-1', startedAt: '2026-11-21T10:00:00.000Z', durationMs: 400, request: { ...request, method: 'POST' }, stacks: [{ count: 9, weightMs: 300, frames: [frame('sort', 31), handler] }, { count: 3, weightMs: 100, frames: [frame('tail;end', 40), handler] }] })
]

/** @param {Buffer} body */
function decoded (body) {
  const profile = pprof.Profile.decode(gunzipSync(body))
  const { strings } = profile.stringTable
  const text = (/** @type {any} */ index) => strings[Number(index)]
  const nameOf = (/** @type {any} */ id) => {
    const {
      line: [{ functionId, line }]
    } = /** @type {any} */ (profile.location.find((location) => location.id === id))
    return `${text(/** @type {any} */ (profile.function.find((func) => func.id === functionId)).name)}:${line}`
  }
  return {
    types: profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    samples: profile.sample.map(({ locationId, value, label }) => ({
      frames: locationId.map(nameOf),
      value: value.map(Number),
      labels: Object.fromEntries(label.map(({ key, str }) => [text(key), text(str)]))
    }))
  }
}

/** The self time of every function as DevTools counts it: a sample lasts until the next one. @param {string} text */
function selfMs (text) {
  const { nodes, samples, timeDeltas, startTime, endTime } = JSON.parse(text)
  assert.equal(samples.length, timeDeltas.length)
  assert.equal(
    timeDeltas.reduce((/** @type {number} */ sum, /** @type {number} */ delta) => sum + delta, startTime),
    endTime
  )
  /** @type {Record<string, number>} */
  const self = {}
  for (const [i, id] of samples.slice(0, -1).entries()) {
    const { callFrame } = nodes.find((/** @type {any} */ node) => node.id === id)
    const key = `${callFrame.functionName}:${callFrame.lineNumber + 1}`
    self[key] = (self[key] ?? 0) + timeDeltas[i + 1] / 1000
  }
  return self
}

exports.frame = frame
exports.blocks = blocks
exports.decoded = decoded
exports.selfMs = selfMs
