'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { LineReader, LINE_BYTES } = require('../../../lib/cluster/wire')

test('messages come whole, however the bytes are cut', () => {
  const sent = [{ t: 'a', text: 'ä€𝄞 \n "' }, { t: 'b' }, { t: 'c', list: [1, 2] }]
  const bytes = Buffer.from(sent.map((message) => `${JSON.stringify(message)}\n`).join(''))
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new LineReader()
    const got = []
    for (let at = 0; at < bytes.length; at += size) got.push(...reader.push(bytes.subarray(at, at + size)))
    assert.deepEqual(got, sent, `in pieces of ${size}`)
  }
})

test('a line that is not a message, or never ends, is refused', () => {
  for (const line of ['nonsense', '', '1', 'null', '[]', '{}', '{"t":1}', '\0\0']) {
    assert.throws(() => new LineReader().push(Buffer.from(`${line}\n`)), /a line that is not/, line)
  }
  const reader = new LineReader()
  assert.deepEqual(reader.push(Buffer.alloc(LINE_BYTES, 'x')), [])
  assert.throws(() => reader.push(Buffer.from('x')), /more than 1048576 bytes/)
})
