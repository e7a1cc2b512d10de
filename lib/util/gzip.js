'use strict'

const { setImmediate } = require('node:timers/promises')
const zlib = require('node:zlib')

/** Bytes compressed at once, in 2 ms. zlib's asynchronous functions would wait for the application's thread pool. */
const BYTES_AT_ONCE = 128 * 1024
/** Header for deflate, without a name, time or system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/**
 * Compresses in steps between which the watchdog polls the loop. The result is a single member, as some receivers read
 * no more than the first one.
 * @param {Buffer} bytes
 */
exports.gzip = async (bytes) => {
  // Node.js 21 and 22.0 have no crc32().
  if (zlib.crc32 === undefined) return zlib.gzipSync(bytes)
  const packed = [HEADER]
  let sum = 0
  for (let at = 0; at === 0 || at < bytes.length; at += BYTES_AT_ONCE) {
    const piece = bytes.subarray(at, at + BYTES_AT_ONCE)
    const finishFlush = at + BYTES_AT_ONCE < bytes.length ? zlib.constants.Z_SYNC_FLUSH : zlib.constants.Z_FINISH
    packed.push(zlib.deflateRawSync(piece, { finishFlush }))
    sum = zlib.crc32(piece, sum)
    await setImmediate()
  }
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(sum)
  trailer.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([...packed, trailer])
}

exports.BYTES_AT_ONCE = BYTES_AT_ONCE
