'use strict'

// The cost of observing the garbage collector for an application that collects often:
//   node scenarios/overhead/checks/collections.js [seconds]            default 20
// A loop copies strings of 71 kB, as messages between threads do; the agent's observer goes on and off every
// quarter of a second (on, off, off, on), and slices are compared four by four.
const v8 = require('node:v8')
const { createMemory, openBridge } = require('../../../lib/bridge/memory')
const { startGcObserver } = require('../../../lib/host/sense/heap')
const { print } = require('../report/spread')

const SLICE_MS = 250
const WARM_UP_SLICES = 8
const TURN_MS = 1
const IS_ON = [true, false, false, true]
const STRING = v8.serialize('x'.repeat(71405))

const seconds = Number(process.argv[2] ?? 20)
const bridge = openBridge(createMemory())
/** @type {{ stop: () => void } | null} */
let observer = null
/** @type {{ isOn: boolean, perMs: number, collections: number }[]} */
const slices = []
let copies = 0
let collections = 0
let fromMs = performance.now()

/** Like a turn of an application's loop. The observer runs between two turns. */
function turn () {
  const endMs = performance.now() + TURN_MS
  while (performance.now() < endMs) {
    v8.deserialize(STRING)
    copies++
  }
  collections += bridge.gcPauses.drain().length
  if (performance.now() - fromMs >= SLICE_MS) endSlice()
  if (slices.length * SLICE_MS < seconds * 1000) setImmediate(turn)
  else tell()
}

function endSlice () {
  const elapsedMs = performance.now() - fromMs
  slices.push({ isOn: observer !== null, perMs: copies / elapsedMs, collections: collections / elapsedMs * 1000 })
  const isOn = IS_ON[slices.length % IS_ON.length]
  if (isOn && observer === null) observer = startGcObserver(bridge)
  if (!isOn && observer !== null) {
    observer.stop()
    observer = null
  }
  copies = collections = 0
  fromMs = performance.now()
}

function tell () {
  observer?.stop()
  const kept = slices.slice(WARM_UP_SLICES)
  const fours = Array.from({ length: Math.floor(kept.length / IS_ON.length) }, (_, i) =>
    kept.slice(i * IS_ON.length, (i + 1) * IS_ON.length)
  )
  const perMs = (/** @type {typeof slices} */ four, /** @type {boolean} */ on) =>
    four.filter(({ isOn }) => isOn === on).reduce((sum, slice) => sum + slice.perMs, 0) / 2
  const counts = kept.filter(({ isOn }) => isOn).map((slice) => slice.collections)
  console.log(`Node ${process.version}, strings of 71 kB, ${seconds} s`)
  print('collections a second, as observed', counts, 0)
  print('copies, observed / not', fours.map((four) => perMs(four, true) / perMs(four, false)), 3)
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  // The work lost per millisecond of copying, divided by the number of collections.
  print('ms for each collection', fours.map((four) => (1 - perMs(four, true) / perMs(four, false)) * 1000 / mean), 3)
}

turn()
