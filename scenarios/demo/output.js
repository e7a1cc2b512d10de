'use strict'

const path = require('node:path')
const readline = require('node:readline')
const { makePretty } = require('../../lib/export/log/pretty')

const ROOT = path.join(__dirname, '..', '..')

/**
 * Passes a child's lines on, and what is in them.
 * @param {import('node:stream').Readable} stream
 * @param {'pretty' | 'json'} format as a person reads them, or as they came
 * @param {(line: any) => void} onLine each that is JSON
 */
exports.passThrough = (stream, format, onLine) => {
  const toText = format === 'pretty'
    ? makePretty({ hasColors: process.stdout.isTTY && process.stdout.hasColors(), cwd: ROOT })
    : (/** @type {string} */ text) => `${text}\n`
  readline.createInterface({ input: stream }).on('line', (text) => {
    process.stdout.write(toText(text))
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
