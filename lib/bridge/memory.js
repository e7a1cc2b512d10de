'use strict'

const { Ring } = require('./ring')
const { BeatSlots, STAMP_BYTES } = require('./beat')
const { Counters } = require('./counters')
const { DelayCounts } = require('./delay-counts')
const { ProbeChannel } = require('./probe')
const { StringTable } = require('./string-table')
const { WaitCounts } = require('./wait-counts')
const { PEERS } = require('../tables/metrics')

/** @import { HeapReading } from '../types' */

/** The numbers of a heap in shared memory, in this order. */
const FIELDS = ['usedBytes', 'limitBytes', 'externalBytes', 'allocatedBytes']

/** The heap of the host as it last reported it, in shared memory. */
class HeapSlots {
  static BYTES = FIELDS.length * Float64Array.BYTES_PER_ELEMENT

  #slots

  /** @param {SharedArrayBuffer} memory @param {number} offset a multiple of 8 */
  constructor (memory, offset) {
    this.#slots = new Float64Array(memory, offset, FIELDS.length)
  }

  /** @param {HeapReading} heap */
  write ({ usedBytes, limitBytes, externalBytes, allocatedBytes }) {
    this.#slots[0] = usedBytes
    this.#slots[1] = limitBytes
    this.#slots[2] = externalBytes
    this.#slots[3] = allocatedBytes ?? 0
  }

  /** Null if nothing has been reported yet. @returns {HeapReading | null} */
  read () {
    const [usedBytes, limitBytes, externalBytes, allocatedBytes] = this.#slots
    if (limitBytes === 0) return null
    return { usedBytes, limitBytes, externalBytes, allocatedBytes: allocatedBytes === 0 ? null : allocatedBytes }
  }
}

/** Goes up if a number in a part changes its meaning. Added, renamed or resized parts change LAYOUT_NUMBER anyway. */
const LAYOUT = 2
/** "loop": the memory is that of some copy of this package. */
const MAGIC = 0x6c6f6f70

/** Kinds of garbage collection, by the number that travels through the ring. */
exports.GC_KINDS = ['minor', 'major', 'incremental', 'weakcb']

/** @template T @param {number} bytes @param {(memory: SharedArrayBuffer, at: number) => T} open */
const part = (bytes, open) => ({ bytes, open })

/** @param {number} rows @param {number} width numbers a row */
const ring = (rows, width) => part(Ring.bytes(rows, width), (memory, at) => new Ring(memory, at, rows, width))

/** @param {number} count */
const strings = (count) => part(StringTable.bytes(count), (memory, at) => new StringTable(memory, at, count))

/** @param {SharedArrayBuffer} memory @param {number} at @returns {{ [index: number]: number }} */
const numbersAt = (memory, at) => new Float64Array(memory, at, 2)

/** The beat is the first: see openBeat(). */
const parts = {
  beat: part(BeatSlots.BYTES, (memory, at) => new BeatSlots(memory, at)),
  heap: part(HeapSlots.BYTES, (memory, at) => new HeapSlots(memory, at)),
  delays: part(DelayCounts.BYTES, (memory, at) => new DelayCounts(memory, at)),
  // start and end of the gap between two beats, idle time in it, period after which the second was due (ms), beats
  // before it, CPU time in it (ms); room for a minute of back-to-back 60 ms blocks without a drain
  lateBeats: ring(1024, 6),
  // start and duration of a long turn (ms), 0; eight seconds of late beats without a drain: each needs at least 15 ms
  turns: ring(512, 3),
  // start and duration of the pause (ms), kind; some seconds of scavenges in an allocation storm, which come in
  // batches of hundreds
  gcPauses: ring(4096, 3),
  // finished requests, see request-row.js; 400 ms of what a busy core can answer: a quarter before a drain, the rest
  // while the watchdog does something else
  requests: ring(32768, 4),
  // the option `routes` allows a thousand named and a thousand guessed ones
  routes: strings(2048),
  // finished work that is not a request, see request-row.js; a second of jobs that do next to nothing. Without a
  // drain, further ones are dropped and counted
  works: ring(16384, 4),
  workNames: strings(1024), // the option `routes` bounds names of work as well
  peers: strings(PEERS + 1),
  waits: part(WaitCounts.BYTES, (memory, at) => new WaitCounts(memory, at)),
  counters: part(Counters.BYTES, (memory, at) => new Counters(memory, at)),
  answer: part(ProbeChannel.BYTES, (memory, at) => new ProbeChannel(memory, at)),
  // start and end of calls of agent.allow() (ms), the number of the reason; a second of allowed calls without a drain:
  // at most one a millisecond is reported
  allowedCalls: ring(1024, 3),
  // the call of agent.allow() that the host is in: its start (0: in none), the number of the reason
  allowedNow: part(2 * Float64Array.BYTES_PER_ELEMENT, numbersAt),
  reasons: strings(64) // written in the application's source, one for each call
}

const TOTAL_BYTES = Object.values(parts).reduce((total, part) => total + part.bytes, STAMP_BYTES)

/** FNV-1a of what the layout consists of. */
const LAYOUT_NUMBER = [...Object.entries(parts).map(([name, { bytes }]) => `${name} ${bytes}`), LAYOUT].join()
  .split('').reduce((hash, char) => Math.imul(hash ^ char.charCodeAt(0), 0x01000193), 0x811c9dc5 | 0)

exports.createMemory = () => {
  const memory = new SharedArrayBuffer(TOTAL_BYTES)
  new Int32Array(memory, 0, 2).set([MAGIC, LAYOUT_NUMBER])
  return memory
}

/** Worker threads may run another version of the package, with another layout. @param {SharedArrayBuffer} memory */
function hasOurLayout (memory) {
  if (memory.byteLength !== TOTAL_BYTES) return false
  const stamp = new Int32Array(memory, 0, 2)
  return stamp[0] === MAGIC && stamp[1] === LAYOUT_NUMBER
}

/**
 * The views of one thread on the shared memory. Throws if another version laid it out: the package was updated on disk
 * under a running process, and its watchdog started again. The host reports that and goes on.
 * @param {SharedArrayBuffer} memory
 */
function openBridge (memory) {
  if (!hasOurLayout(memory)) throw new Error('the shared memory has the layout of another version of loopwatch')
  const bridge = /** @type {any} */ ({})
  let offset = STAMP_BYTES
  for (const [name, part] of Object.entries(parts)) {
    bridge[name] = part.open(memory, offset)
    offset += part.bytes
  }
  return /** @type {{ [K in keyof typeof parts]: ReturnType<(typeof parts)[K]['open']> }} */ (bridge)
}

exports.openBridge = openBridge
exports.hasOurLayout = hasOurLayout
exports.HeapSlots = HeapSlots

/** @typedef {ReturnType<typeof openBridge>} Bridge */
