'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { BlockBuilder } = require('../../../../lib/watchdog/loop/block-builder')
const { OwnCpu } = require('../../../../lib/watchdog/loop/own-cpu')

/** @param {...[number, number | null | undefined]} readings when, and CPU time */
function ownCpu (...readings) {
  const own = new OwnCpu()
  for (const [atMs, cpuMs] of readings) own.add({ atMs, cpuMs })
  return own
}

test('a thread\'s CPU time within a block is what two of its readings say, for as long as that lasts', () => {
  assert.equal(ownCpu([1000, 70], [1100, 170]).within(1000, 100), 100)
  assert.equal(ownCpu([1000, 70], [1050, 70.5], [1100, 71]).within(1000, 100), 1, 'the first and the last')
  assert.equal(ownCpu([1000, 70], [1080, 110]).within(1000, 100), 50, 'the rest as what is known')
  assert.equal(ownCpu([980, 70], [1100, 170]).within(1000, 100), 100, 'the loop waited between the beat and the block')
  assert.equal(ownCpu([1000, 70], [1090, 200]).within(1000, 100), 100, 'never more than it lasted')
})

test('too little, or nothing, is no answer', () => {
  assert.equal(ownCpu().within(1000, 100), null)
  assert.equal(ownCpu([1000, null], [1050, undefined]).within(1000, 100), null)
  assert.equal(ownCpu([1000, 70]).within(1000, 100), null)
  assert.equal(ownCpu([1000, 70], [1059, 129]).within(1000, 100), null, 'it may sleep since')
  assert.equal(ownCpu([1000, 70], [1060, 130]).within(1000, 100), 100)
  assert.equal(ownCpu([900, 70], [1000, 170]).within(1000, 100), null, 'all of it before')
})

const silent = { runQueueMs: null, throttledMs: null, stolenMs: null }

/**
 * A block from 1000 to 1300 that the kernel tells `kernelMs` of, and its thread at its end `gapMs`.
 * @param {number | null} kernelMs
 * @param {number | null} gapMs
 * @param {[number, number][]} answers when, and CPU time
 */
function ended (kernelMs, gapMs, answers) {
  const at = (/** @type {number} */ atMs) => ({ atMs, cpuMs: kernelMs === null ? null : kernelMs * (atMs - 1000) / 300, ...silent })
  const builder = new BlockBuilder({ thread: 'main', threadId: 0, beats: 1, before: at(1000), isDebugged: false, surroundings: { gcWithin: () => 0, watchdogGapWithin: () => 0, thresholdMs: 50 } })
  builder.ownCpu.add({ atMs: 1000, cpuMs: 500 })
  builder.begin('1', { startMs: 1000, uncertaintyMs: 0, startup: false, beats: 1 }, 1060)
  for (const [atMs, cpuMs] of answers) builder.add({ beats: 1, atMs, askedAtMs: atMs - 1, putAtMs: null, idleMs: 0, debugged: false, late: false, request: null, cpuMs, frames: [{ function: 'f', file: '/a.js', line: 1, column: 1 }] })
  const ongoing = builder.ongoing(1300, null).evidence.cpuMs
  return [ongoing, builder.ended({ endMs: 1300, durationMs: 300, uncertaintyMs: 0, busyMs: 300, cpuMs: gapMs }, at(1300)).evidence.cpuMs]
}

test('the kernel is believed first, then what the thread counted between two beats, then its answers', () => {
  assert.deepEqual(ended(150, 20, [[1280, 780]]), [300, 150])
  assert.deepEqual(ended(null, 20, [[1280, 780]]), [300, 20])
  assert.deepEqual(ended(null, 400, []), [null, 300])
  assert.deepEqual(ended(null, null, [[1280, 640]]), [150, 150])
  assert.deepEqual(ended(null, null, []), [null, null])
})
