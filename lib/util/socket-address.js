'use strict'

const os = require('node:os')

/** ::ffff:0:0/96, IPv4 in IPv6 */
const MAPPED = Buffer.from('00000000000000000000ffff', 'hex')
/** ::1 */
const ONE = Buffer.from('00000000000000000000000000000001', 'hex')

/** A /proc/net address: words of four bytes in machine order. @param {string} text `0100007F:2406` = 127.0.0.1:9222 */
exports.parseAddress = (text) => {
  const [hex, port] = text.split(':')
  const words = /** @type {string[]} */ (hex.match(/.{8}/g)).map((word) => Buffer.from(word, 'hex'))
  const bytes = Buffer.concat(os.endianness() === 'LE' ? words.map((word) => word.reverse()) : words)
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).equals(MAPPED)
  const four = bytes.length === 4 ? bytes : isMapped ? bytes.subarray(12) : null
  return {
    // A URL shortens the zeros.
    host: four !== null
      ? four.join('.')
      : new URL(`http://[${bytes.toString('hex').match(/.{4}/g)?.join(':')}]`).hostname,
    port: Number.parseInt(port, 16),
    isLoopback: four !== null ? four[0] === 127 : bytes.equals(ONE)
  }
}
