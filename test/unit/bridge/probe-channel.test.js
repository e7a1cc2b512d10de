'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { ProbeChannel } = require('../../../lib/bridge/probe')

const GUARD_BYTES = 64

function makeChannel () {
  const memory = new SharedArrayBuffer(ProbeChannel.BYTES + GUARD_BYTES)
  return { channel: new ProbeChannel(memory, 0), guard: new Uint8Array(memory, ProbeChannel.BYTES) }
}

test('a question is open until it is answered, and its answer can be taken', () => {
  const { channel } = makeChannel()
  assert.equal(channel.question, 0)
  const question = channel.ask()
  assert.equal(channel.question, question)
  assert.equal(channel.take(question), null)
  channel.answer(question, 'here')
  assert.equal(channel.question, 0)
  assert.equal(channel.take(question), 'here')
})

test('a short answer after a long one holds nothing of the long one', () => {
  const { channel } = makeChannel()
  for (const text of ['a long answer', 'short', '']) {
    const question = channel.ask()
    channel.answer(question, text)
    assert.equal(channel.take(question), text)
  }
})

test('an answer in any script arrives as it was', () => {
  const { channel } = makeChannel()
  for (const text of ['Größe', 'ファイル.js', '🎉 émoji 🇺🇳', 'zero \0 and \x1e \x1f', '\n\r\t "quoted" \\']) {
    const question = channel.ask()
    channel.answer(question, text)
    assert.equal(channel.take(question), text)
  }
})

test('an answer beyond the capacity is cut between two characters and nothing behind it is written', () => {
  for (const character of ['a', 'é', '日', '🎉']) {
    for (const lead of ['', '.', '..', '...']) {
      const { channel, guard } = makeChannel()
      const text = lead + character.repeat(40000)
      const question = channel.ask()
      channel.answer(question, text)
      const taken = /** @type {string} */ (channel.take(question))
      assert.ok(text.startsWith(taken), `${character}: not a beginning of what was written: …${taken.slice(-3)}`)
      assert.ok(Buffer.byteLength(taken) > 32768 - 4, `${character}: only ${Buffer.byteLength(taken)} bytes`)
      assert.ok(guard.every((byte) => byte === 0))
    }
  }
})

test('an answer to a question that was given up does not pass for the answer to the next', () => {
  const { channel } = makeChannel()
  const given = channel.ask()
  const current = channel.ask()
  channel.answer(given, 'stale')
  assert.equal(channel.take(current), null)
  assert.equal(channel.question, current, 'the next question is still open')
  channel.answer(current, 'fresh')
  assert.equal(channel.take(current), 'fresh')
  assert.equal(channel.take(given), null)
})
