'use strict'

const { once } = require('node:events')
const net = require('node:net')

/**
 * Writes raw bytes to an endpoint and reads until it closes.
 * @param {string} url
 * @param {string | Uint8Array} bytes
 */
exports.raw = async (url, bytes) => {
  const { port, hostname } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (data) => { answer += data.toString('latin1') })
  socket.on('error', () => {})
  socket.end(bytes)
  // A refused request may end in a reset, which is an answer too.
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

/** The status of every answer in what came back. @param {string} answer */
exports.statusesOf = (answer) => [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))

/**
 * A connection to an endpoint that is left open.
 * @param {import('node:test').TestContext} t
 * @param {string} url
 * @param {string} [bytes] written first
 */
exports.connect = async (t, url, bytes = '') => {
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}
