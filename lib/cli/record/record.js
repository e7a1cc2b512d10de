'use strict'

const fs = require('node:fs')
const zlib = require('node:zlib')
const { codedErrorFrom } = require('../../tables/errors')
const { counted, printable } = require('../../util/sentence')
const { FILE_BYTES, parseRecording } = require('../../store/recording')
const { ask, notOurs } = require('../common/endpoint')
const { findingsOf } = require('./findings')

/** @import { Recording } from '../../store/recording' */

const BYTES_PER_KB = 1024

/** @param {string} target @param {string} file @param {{ token?: string }} flags */
exports.record = async (target, file, { token }) => {
  const recording = await exports.takeRecording(target, token)
  const kB = Math.ceil(exports.writeRecording(recording, file) / BYTES_PER_KB)
  process.stdout.write(`${file}: ${counted(recording.blocks.length, 'block')} of process ${recording.process.pid}, ` +
    `${kB} kB; loopwatch view ${file} shows it\n`)
}

/** @param {string} target @param {string} [token] @returns {Promise<Recording>} */
exports.takeRecording = async (target, token) => {
  const response = await ask(target, 'recording', token)
  if (response.headers.get('content-type') !== 'application/gzip') throw notOurs(target, 'its response is not a recording')
  return parseRecording(await bytesOf(response, target), target)
}

/** With what doctor finds in it. @param {Recording} recording @param {string} file @returns {number} its bytes */
exports.writeRecording = (recording, file) => {
  const bytes = zlib.gzipSync(JSON.stringify({ ...recording, findings: findingsOf(recording).lines }))
  try {
    // For those who see the service: owner and group may read it.
    fs.writeFileSync(file, bytes, { mode: 0o640 })
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_OUTPUT', 'record', file, printable(error.message))
  }
  return bytes.length
}

/** An answer may be endless. @param {Response} response @param {string} target */
async function bytesOf (response, target) {
  const parts = []
  let length = 0
  for await (const part of /** @type {AsyncIterable<Uint8Array>} */ (response.body ?? [])) {
    length += part.length
    if (length > FILE_BYTES) throw notOurs(target, 'its response is larger than any recording')
    parts.push(part)
  }
  return Buffer.concat(parts)
}
