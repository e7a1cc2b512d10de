'use strict'

const path = require('node:path')
const { charts } = require('./charts')
const { compare, faithfulCells } = require('./original')
const { findings, verdict } = require('./findings')

const MODULE = path.join(__dirname, 'ping-pong.js')
/** Payloads that each variant can carry at all. */
const OBJECTS = ['small', 'medium', 'big', 'huge', 'bigstring', 'twobyte', 'escaped']
const carries = {
  'fork-json': OBJECTS,
  'fork-v8': [...OBJECTS, 'bytes'],
  'worker-clone': [...OBJECTS, 'bytes'],
  'worker-json': OBJECTS,
  'channel-clone': [...OBJECTS, 'bytes'],
  'worker-transfer': ['bytes'],
  'ring-json': OBJECTS,
  'ring-raw': ['small', 'bytes']
}
const DEPTHS = [1, 16, 256]
/** At 256 of the largest 80 MB are on their way, which measures memory. */
const DEPTH_LIMIT = { huge: 16 }
/** The part of the matrix that fits into a minute: the cells that show a transport and a serializer separately. */
const CHOSEN = {
  small: { 1: ['fork-json', 'fork-v8', 'worker-clone', 'worker-json', 'channel-clone', 'ring-json'], 16: ['worker-clone'], 256: ['fork-json', 'worker-clone', 'ring-json', 'ring-raw'] },
  big: { 1: ['fork-json', 'fork-v8', 'worker-clone', 'worker-json'] },
  bigstring: { 1: ['fork-json', 'worker-clone'] },
  twobyte: { 1: ['fork-json', 'worker-clone'] },
  escaped: { 1: ['fork-json', 'worker-clone'] },
  bytes: { 1: ['fork-v8', 'worker-clone', 'worker-transfer', 'ring-raw'] }
}
const QUICK = {
  small: { 1: ['fork-json', 'fork-v8', 'worker-clone', 'worker-json', 'channel-clone'], 256: ['worker-clone', 'ring-json', 'ring-raw'] },
  bytes: { 1: ['worker-transfer'] }
}

/** @param {string} variant @param {string} payload @param {number} depth */
const cell = (variant, payload, depth) => ({ variant, params: { payload, depth }, module: MODULE, busy: 2 })

/** @param {Record<string, Record<string, string[]>>} chosen */
const cellsOf = (chosen) =>
  Object.entries(chosen).flatMap(([payload, byDepth]) =>
    Object.entries(byDepth).flatMap(([depth, variants]) =>
      variants.map((variant) => cell(variant, payload, Number(depth)))
    )
  )

const matrix = () =>
  Object.entries(carries).flatMap(([variant, payloads]) =>
    payloads.flatMap((payload) =>
      DEPTHS.filter((depth) => depth <= (DEPTH_LIMIT[/** @type {'huge'} */ (payload)] ?? Infinity)).map((depth) =>
        cell(variant, payload, depth)
      )
    )
  )

/** @type {Record<import('../harness/interface').ModeName, () => import('../harness/interface').CellPlan[]>} */
const plans = {
  quick: () => cellsOf(QUICK),
  default: () => cellsOf(CHOSEN),
  full: matrix,
  faithful: () => faithfulCells(MODULE)
}

/** @type {import('../harness/interface').Scenario} */
exports.scenario = {
  name: 'messaging',
  title: 'how fast messages go between processes and threads, by transport, serializer, payload and depth',
  unit: 'messages/s',
  better: 'higher',
  agent: { threshold: 50 },
  modes: {
    quick: { repeats: 2, seconds: 0.1, warmUpSeconds: 0.1, note: 'a smoke run: do not quote its figures' },
    default: { repeats: 5, seconds: 0.2, warmUpSeconds: 0.1, note: 'transports and serializers, each with the other held the same' },
    full: { repeats: 5, seconds: 1, warmUpSeconds: 0.5, note: 'every transport with every payload it can carry and every depth' },
    faithful: { repeats: 1, seconds: 10, warmUpSeconds: 0, note: 'the original\'s runs of 10 s and 60 s; about 12 minutes; --seconds replaces both' }
  },
  plan: ({ mode }) => plans[mode](),
  charts,
  verdict,
  findings,
  compare
}
