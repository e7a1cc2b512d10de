'use strict'

const path = require('node:path')
const readline = require('node:readline')
const { makePretty } = require('../../lib/export/log/pretty')

const ROOT = path.join(__dirname, '..', '..')

/**
 * Passes a child's lines on, on a terminal as a person reads them, else as they came, and tells
 * what is in them.
 * @param {import('node:stream').Readable} stream
 * @param {(line: any) => void} onLine each that is JSON
 */
exports.passThrough = (stream, onLine) => {
  const format = process.stdout.isTTY
    ? makePretty({ hasColors: process.stdout.hasColors(), cwd: ROOT })
    : (/** @type {string} */ text) => `${text}\n`
  readline.createInterface({ input: stream }).on('line', (text) => {
    process.stdout.write(format(text))
    const line = parse(text)
    if (line !== null) onLine(line)
  })
}

/** @param {string} text */
function parse (text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
