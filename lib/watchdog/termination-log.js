'use strict'

const fs = require('node:fs')
const { openFile } = require('../util/files')
const { sentenceOf } = require('../util/sentence')

/** Kubernetes shows what is in this file as the reason of a container's end, and only mounts it for that. */
const FILE = '/dev/termination-log'
/** Kubernetes reads no more of it. */
const MOST_BYTES = 4096
const { O_APPEND, O_NONBLOCK, O_WRONLY } = fs.constants

/**
 * Writes why the process ends, if there is such a file. It is not made if it is missing, and what the application has
 * written stays. @param {import('../types').BlockRecord} record @param {string} [file]
 */
exports.tellWhyItEnds = (record, file = FILE) => {
  if (process.platform !== 'linux') return
  try {
    const fd = openFile(file, O_WRONLY | O_APPEND | O_NONBLOCK)
    const text = Buffer.from(`loopwatch: ${sentenceOf(record)}\n`)
    fs.writeSync(fd, text.subarray(0, MOST_BYTES))
    fs.closeSync(fd)
  } catch {
    // There is none, or it may not be written.
  }
}
