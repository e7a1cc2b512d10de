'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { FIELD, LINE, ProbeChannel } = require('../../../../lib/bridge/probe')
const { Sampler } = require('../../../../lib/watchdog/loop/sampler')

const LOOK_MS = 10

/** A block from 0 on, looked at every 10 ms, in a process that answers nothing of itself. */
function makeBlock () {
  const channel = new ProbeChannel(new SharedArrayBuffer(ProbeChannel.BYTES), 0)
  const state = { mayAsk: true }
  /** @type {number[]} */
  const putAtMs = []
  let nowMs = 0
  const ask = (/** @type {boolean} */ isAgain) => {
    assert.equal(isAgain, sampler.questionAtMs !== null)
    if (state.mayAsk) putAtMs.push(nowMs)
    return state.mayAsk
  }
  /** @type {Sampler} */
  const sampler = new Sampler({ channel, ask })
  const blockUntil = (/** @type {number} */ endMs) => {
    for (; nowMs < endMs; nowMs += LOOK_MS) sampler.askIfDue(nowMs, nowMs)
  }
  /** @param {{ atMs: number, putAtMs: number | '' }} answer to the open question */
  const answer = ({ atMs, putAtMs }) => channel.answer(channel.question, [atMs, 0, 1, 'false', putAtMs].join(FIELD) + FIELD.repeat(6) + LINE)
  return { sampler, channel, putAtMs, state, blockUntil, answer }
}

test('a question without an answer is put again, under its number, after a second and then each time after twice the time', () => {
  const { channel, putAtMs, blockUntil } = makeBlock()
  blockUntil(60000)
  assert.deepEqual(putAtMs, [0, 1000, 3000, 7000, 15000, 31000])
  assert.equal(channel.question, 1)
})

test('a question that cannot be put again when it is due is as soon as it can be', () => {
  const { putAtMs, state, blockUntil } = makeBlock()
  blockUntil(500)
  state.mayAsk = false
  blockUntil(4000)
  state.mayAsk = true
  blockUntil(8000)
  assert.deepEqual(putAtMs, [0, 4000, 6000])
})

test('an answered question is not put again, and the next one has a second of its own', () => {
  const { sampler, channel, putAtMs, blockUntil, answer } = makeBlock()
  blockUntil(1500)
  answer({ atMs: 1490, putAtMs: 1000 })
  sampler.take()
  blockUntil(2600)
  assert.deepEqual(putAtMs, [0, 1000, 1500, 2500])
  assert.equal(channel.question, 2)
})

test('the wait of a thread for a CPU before it answered is recorded, without the wait after the answer', () => {
  const waited = (/** @type {number | null} */ runQueueMs, /** @type {number} */ atMs) => {
    const { sampler, answer } = makeBlock()
    sampler.askIfDue(0, 0, 5)
    answer({ atMs: 80, putAtMs: '' })
    return sampler.take({ atMs, cpuMs: 0, runQueueMs, throttledMs: null, stolenMs: null })?.waitedMs
  }
  assert.deepEqual([waited(75, 80), waited(75, 90), waited(10, 120), waited(null, 80)], [70, 60, 0, 0])
})

test('an answer is late by the question that it answers: a native call has held up the first, what was lost has held up none', () => {
  const native = makeBlock()
  native.blockUntil(3500)
  native.answer({ atMs: 3501, putAtMs: 0.5 })
  const late = native.sampler.take()
  assert.deepEqual({ questionAtMs: late?.questionAtMs, late: late?.late }, { questionAtMs: 0.5, late: true })
  const lost = makeBlock()
  lost.blockUntil(1100)
  assert.equal(lost.sampler.questionAtMs, 0)
  lost.answer({ atMs: 1001, putAtMs: 1000.5 })
  const prompt = lost.sampler.take()
  assert.deepEqual({ questionAtMs: prompt?.questionAtMs, late: prompt?.late }, { questionAtMs: 1000.5, late: false })
})

test('an answer tells that nothing could be asked before it, and the next one does not', () => {
  const { sampler, state, blockUntil, answer } = makeBlock()
  const next = (/** @type {number} */ atMs) => {
    blockUntil(atMs)
    answer({ atMs, putAtMs: '' })
    return sampler.take()?.isAfterRefusal
  }
  state.mayAsk = false
  blockUntil(300)
  state.mayAsk = true
  assert.deepEqual([next(400), next(500)], [true, false])
})
