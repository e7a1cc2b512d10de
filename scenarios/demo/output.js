'use strict'

const readline = require('node:readline')

/**
 * Passes a child's lines on, on a terminal as a person reads them, else as they came, and tells
 * what is in them.
 * @param {import('node:stream').Readable} stream
 * @param {(line: any) => void} onLine each that is JSON
 */
exports.passThrough = (stream, onLine) => {
  // Loaded where it is needed: it is a development dependency.
  const format = process.stdout.isTTY ? require('./pretty').makePretty() : (/** @type {string} */ text) => `${text}\n`
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
