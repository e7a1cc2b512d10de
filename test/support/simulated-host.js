'use strict'

/** Numbers from 0 to 1, the same for a seed (mulberry32). @param {number} seed */
exports.seeded = (seed) => () => {
  seed = (seed + 0x6D2B79F5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

/**
 * A host and a watchdog on a made-up clock: the host beats every 10 ms with noise, does not while
 * blocked, and idles in between; the watchdog polls when its detector asks it to.
 * @param {import('../../lib/watchdog/loop/detector').Detector} detector
 * @param {object} story
 * @param {{ startMs: number, durationMs: number }[]} story.blocks the loop is busy
 * @param {{ startMs: number, endMs: number }[]} [story.pauses] host and watchdog stand still, the loop waiting
 * @param {{ startMs: number, endMs: number }[]} [story.watchdogPauses] the watchdog alone stands still
 * @param {number} story.endMs
 * @param {() => number} story.random
 * @param {boolean} [story.startup] the first block begins before the loop's first turn
 * @param {boolean} [story.quickChecks] as the watchdog does, which polls wholly only where a quick check shows
 * something
 */
exports.simulate = (
  detector,
  { blocks, pauses = [], watchdogPauses = [], endMs, random, startup = false, quickChecks = false }
) => {
  const { beats, lateBeats } = makeHost({ blocks, pauses, endMs, random, startup })
  /** @type {any[]} */
  const events = []
  let nowMs = 0
  let polls = 0
  let quick = 0
  let dueMs = 0
  let seenLate = 0
  while (nowMs < endMs) {
    const beat = beats.findLast(({ atMs }) => atMs <= nowMs) ?? beats[0]
    const newLate = lateBeats.slice(seenLate).filter(({ endMs: atMs }) => atMs <= nowMs)
    seenLate += newLate.length
    // A host that is asked while a beat is overdue says how long it has idled since its last beat.
    const block = blocks.find(({ startMs, durationMs }) => startMs <= nowMs && nowMs < startMs + durationMs)
    const idleMs = block && block.startMs >= beat.atMs ? beat.idleMs + block.startMs - beat.atMs : null
    const selfLate = nowMs - dueMs > 5
    const mayCheck = quickChecks && !selfLate && newLate.length === 0 && detector.block === null
    let wakeAtMs = mayCheck ? detector.quickCheck(nowMs, beat) : null
    if (wakeAtMs !== null) quick++
    else {
      const poll = detector.poll({ nowMs, beat, lateBeats: newLate, idleMs, selfLate })
      polls++
      events.push(...poll.events.map((event) => ({ ...event, atMs: nowMs })))
      wakeAtMs = poll.wakeAtMs
    }
    dueMs = Math.max(nowMs + 1, wakeAtMs)
    nowMs = dueMs + random()
    for (const pause of [...pauses, ...watchdogPauses]) {
      if (nowMs >= pause.startMs && nowMs < pause.endMs) nowMs = pause.endMs + random()
    }
  }
  return { events, polls, quick }
}

/** @param {any} story */
function makeHost ({ blocks, pauses, endMs, random, startup }) {
  const beats = [{ beats: 1, atMs: 0, idleMs: 0, activeMs: 0, periodMs: 10 }]
  const lateBeats = []
  let atMs = 0
  let idleMs = 0
  while (atMs < endMs + 100) {
    let nextMs = atMs + 10 + random()
    let idle = nextMs - atMs
    for (const { startMs, durationMs } of blocks) {
      if (startMs >= atMs && startMs < nextMs) {
        idle = startup && atMs === 0 ? 0 : startMs - atMs
        nextMs = startMs + durationMs
      }
    }
    for (const pause of pauses) {
      if (nextMs >= pause.startMs && nextMs < pause.endMs) {
        idle += pause.endMs - nextMs
        nextMs = pause.endMs
      }
    }
    if (nextMs === Infinity) break
    if (nextMs - atMs >= 50) {
      lateBeats.push({ startMs: atMs, endMs: nextMs, idleMs: idle, periodMs: 10, beats: beats.length })
    }
    atMs = nextMs
    idleMs += idle
    beats.push({ beats: beats.length + 1, atMs, idleMs, activeMs: 0, periodMs: 10 })
  }
  return { beats, lateBeats }
}
