'use strict'

/** A UTF-16 unit takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3

/**
 * How messages are put into a ring and taken out.
 * @typedef {object} Codec
 * @property {(ring: import('./ring/ring').Ring, message: any) => boolean} write false: no room, nothing happened
 * @property {(ring: import('./ring/ring').Ring) => any} read
 */

/** Any message, as JSON. @type {Codec} */
const json = {
  write: (ring, message) => {
    const text = JSON.stringify(message)
    if (!ring.reserve(text.length * BYTES_PER_UNIT)) return false
    ring.commit(ring.buffer.write(text, ring.offset))
    return true
  },
  read: (ring) => JSON.parse(ring.buffer.toString('utf8', ring.offset, ring.offset + ring.length))
}

/** `{ msg: boolean }`, whose shape both sides know: one byte. @type {Codec} */
const flag = {
  write: (ring, message) => {
    if (!ring.reserve(1)) return false
    ring.buffer[ring.offset] = message.msg ? 1 : 0
    ring.commit(1)
    return true
  },
  read: (ring) => ({ msg: ring.buffer[ring.offset] === 1 })
}

/** Bytes, copied. @type {Codec} */
const bytes = {
  write: (ring, message) => {
    if (!ring.reserve(message.length)) return false
    ring.buffer.set(message, ring.offset)
    ring.commit(message.length)
    return true
  },
  // The writer would overwrite a view while the reader uses it.
  read: (ring) => new Uint8Array(ring.buffer.subarray(ring.offset, ring.offset + ring.length))
}

/** @type {Record<string, Codec>} */
exports.codecs = { json, flag, bytes }
