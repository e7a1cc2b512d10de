'use strict'

// The primary's side of a cluster against pretend workers, over real sockets.
const { once } = require('node:events')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { nowMs } = require('../../../lib/util/clock')
const { addressOf } = require('../../../lib/cluster/address')
const { ClusterPrimary } = require('../../../lib/cluster/primary')
const { VERSION } = require('../../../lib/cluster/wire')
const { ClusterWorker } = require('../../../lib/cluster/worker')
const { eventually } = require('../app')
const { makeRecord } = require('../record')

/** @typedef {import('../../../lib/types').Metric} Metric */

/** Above the largest there can be: no process has them. */
let lastPid = 4194304
const nextPid = () => ++lastPid

/** @param {number} value @returns {Metric[]} */
const metrics = (value) => [
  { name: 'a_total', help: 'a', type: 'counter', values: [{ labels: { reason: 'x' }, value }] },
  { name: 'b', help: 'b', type: 'gauge', values: [{ labels: {}, value }] }
]

/** @param {import('node:test').TestContext} t @param {string} [tmpdir] */
function startPrimary (t, tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))) {
  const address = addressOf({ tmpdir, pid: process.pid })
  /** @type {(string | null)[]} */
  const states = []
  /** @type {string[]} */
  const faults = []
  /** @type {any[]} */
  const blocks = []
  const clock = { aheadMs: 0 }
  const primary = new ClusterPrimary({
    address,
    nowMs: () => nowMs() + clock.aheadMs,
    onBlock: (record) => blocks.push(record),
    onState: (error) => states.push(error && error.message),
    onFault: (fault) => faults.push(fault.message)
  })
  t.after(() => {
    primary.close()
    fs.rmSync(tmpdir, { recursive: true, force: true })
  })
  return {
    primary,
    address,
    states,
    faults,
    blocks,
    clock,
    listening: () => eventually(() => states.at(-1) === null, () => `the primary to listen: ${states}`),
    /** @param {string} name @param {number | string} worker */
    value: async (name, worker) => (await primary.union(async () => metrics(1000))).find((metric) => metric.name === name)?.groups.find((group) => group.worker === `${worker}`)?.values[0].value
  }
}

/** A worker that says what it is told to. @param {string} address */
async function connect (address) {
  const socket = net.connect(address)
  socket.on('error', () => {})
  /** @type {any[]} */
  const got = []
  let text = ''
  socket.on('data', (data) => {
    text += data
    const lines = text.split('\n')
    text = /** @type {string} */ (lines.pop())
    got.push(...lines.map((line) => JSON.parse(line)))
  })
  await once(socket, 'connect')
  const send = (/** @type {object} */ message) => socket.write(`${JSON.stringify(message)}\n`)
  return {
    socket,
    got,
    send,
    /** @param {object} [differences] @returns {Promise<number>} its slot */
    join: async (differences = {}) => {
      send({ t: 'hello', v: VERSION, pid: nextPid(), instance: `${Math.random()}`, slot: null, ...differences })
      return (await eventually(() => got.find(({ t }) => t === 'welcome'), 'the welcome')).slot
    },
    closed: () => eventually(() => socket.destroyed, 'the connection to be closed')
  }
}

/**
 * A worker's side as it is, with metrics of the test's.
 * @param {import('node:test').TestContext} t
 * @param {string} address
 * @param {() => number} value
 */
function startWorker (t, address, value) {
  /** @type {string[]} */
  const said = []
  const worker = new ClusterWorker({
    address,
    pid: nextPid(),
    nowMs,
    snapshot: async () => metrics(value()),
    blocks: () => [makeRecord({ id: '1-early' })],
    onJoined: (url) => said.push(`joined ${url}`),
    onAlone: (hadPrimary) => said.push(hadPrimary ? 'left alone' : 'alone'),
    onState: (error) => {
      // The health of a watchdog says what changes.
      const state = `state ${error && error.message}`
      if (said.findLast((text) => text.startsWith('state')) !== state) said.push(state)
    }
  })
  t.after(() => worker.close())
  return { worker, said }
}

exports.nextPid = nextPid
exports.metrics = metrics
exports.startPrimary = startPrimary
exports.connect = connect
exports.startWorker = startWorker
