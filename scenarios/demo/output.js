'use strict'

const path = require('node:path')
const readline = require('node:readline')
const { makePretty } = require('../../lib/export/log/pretty')

/** pino's number of a warning. */
const WARN = 40

const NAME_WIDTH = 'worker '.length

const ROOT = path.join(__dirname, '..', '..')

/** True for blocks by the application's code, except at startup, whose lines are information. @param {any} line */
const isBlock = ({ event, level, frame }) => event === 'opened' || (level >= WARN && Boolean(frame))

/** Worth reading even while the child starts: where it listens, and what is wrong. @param {any} line */
const isNeeded = ({ event, level, frame }) => event === 'listening' || (level >= WARN && frame !== null)

/**
 * Passes a child's lines on, and what is in them. On a busy machine its start alone would make some twenty lines, so
 * until its first block only those that are needed are printed.
 * @param {string} name of the child, before each line that a person reads; lines of JSON have its pid
 * @param {import('node:stream').Readable} stream
 * @param {'pretty' | 'json'} format as a person reads them, or as they came
 * @param {(line: any) => void} onLine each that is JSON
 */
exports.passThrough = (name, stream, format, onLine) => {
  const pretty = makePretty({ hasColors: process.stdout.isTTY && process.stdout.hasColors(), cwd: ROOT })
  const toText = (/** @type {string} */ text) =>
    format === 'pretty' ? `${name.padEnd(NAME_WIDTH)}${pretty(text)}` : `${text}\n`
  let hasBlocked = false
  readline.createInterface({ input: stream }).on('line', (text) => {
    const line = parse(text)
    hasBlocked ||= line !== null && isBlock(line)
    if (line === null || hasBlocked || isNeeded(line)) process.stdout.write(toText(text))
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
