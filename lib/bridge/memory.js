'use strict'

const { Ring } = require('./ring')
const { BeatSlots } = require('./beat')
const { Counters } = require('./counters')
const { DelayCounts } = require('./delay-counts')
const { ProbeChannel } = require('./probe-channel')
const { StringTable } = require('./string-table')

/** A minute of back-to-back 60 ms blocks while nobody drains. */
const LATE_BEATS = 1024
/** Some seconds of scavenges in an allocation storm; they come in batches of hundreds. */
const GC_PAUSES = 4096
/** 400 ms of what a busy core can answer: a quarter is let come together, the rest comes while the watchdog is at something else. */
const REQUESTS = 32768
/** The option `routes` allows a thousand that were told and a thousand that are guessed. */
const ROUTES = 2048

/** Kinds of garbage collection, by the number that travels through the ring. */
exports.GC_KINDS = ['minor', 'major', 'incremental', 'weakcb']

/** The parts of the shared memory, in order, each with the bytes it takes. */
const parts = {
  beat: { bytes: BeatSlots.BYTES, open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new BeatSlots(memory, at) },
  delays: { bytes: DelayCounts.BYTES, open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new DelayCounts(memory, at) },
  // start and end of the gap between two beats, idle time within it, period in which the second was due (ms), beats before it, CPU time within it
  lateBeats: { bytes: Ring.bytes(LATE_BEATS, 6), open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new Ring(memory, at, LATE_BEATS, 6) },
  // start and duration of the pause (ms), kind
  gcPauses: { bytes: Ring.bytes(GC_PAUSES, 3), open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new Ring(memory, at, GC_PAUSES, 3) },
  // finished requests, see request-row.js
  requests: { bytes: Ring.bytes(REQUESTS, 4), open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new Ring(memory, at, REQUESTS, 4) },
  routes: { bytes: StringTable.bytes(ROUTES), open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new StringTable(memory, at, ROUTES) },
  counters: { bytes: Counters.BYTES, open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new Counters(memory, at) },
  answer: { bytes: ProbeChannel.BYTES, open: (/** @type {SharedArrayBuffer} */ memory, /** @type {number} */ at) => new ProbeChannel(memory, at) }
}

/** Shared memory for one host thread and its watchdog. */
exports.createMemory = () =>
  new SharedArrayBuffer(Object.values(parts).reduce((total, part) => total + part.bytes, 0))

/**
 * The views of one thread on the shared memory.
 * @param {SharedArrayBuffer} memory
 */
function openBridge (memory) {
  const bridge = /** @type {any} */ ({})
  let offset = 0
  for (const [name, part] of Object.entries(parts)) {
    bridge[name] = part.open(memory, offset)
    offset += part.bytes
  }
  return /** @type {{ [K in keyof typeof parts]: ReturnType<(typeof parts)[K]['open']> }} */ (bridge)
}

exports.openBridge = openBridge

/** @typedef {ReturnType<typeof openBridge>} Bridge */
