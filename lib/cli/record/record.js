'use strict'

const fs = require('node:fs')
const zlib = require('node:zlib')
const { findings, rowOf } = require('../doctor/doctor')
const { parseSamples } = require('../common/parse')
const { codedErrorFrom } = require('../../tables/errors')
const { counted, printable } = require('../../util/sentence')
const { FILE_BYTES, parseRecording, readRecording } = require('../../store/recording')
const { ask, notOurs } = require('../common/endpoint')
const { HttpServer } = require('../../export/http/server')
const { makePaths } = require('../../export/http/paths')
const { watchSignals } = require('../common/signals')
const { openFile } = require('../common/output')
const { sourcesOf } = require('./sources')

/** @import { Recording } from '../../store/recording' */

const HOST = '127.0.0.1'

/** @param {string} target @param {string} file @param {{ token?: string }} flags */
exports.record = async (target, file, { token }) => {
  const recording = await exports.takeRecording(target, token)
  const kB = Math.ceil(exports.writeRecording(recording, file) / 1024)
  process.stdout.write(`${file}: ${counted(recording.blocks.length, 'block')} of process ${recording.process.pid}, ` +
    `${kB} kB; loopwatch view ${file} shows it\n`)
}

/** @param {string} target @param {string} [token] @returns {Promise<Recording>} */
exports.takeRecording = async (target, token) => {
  const response = await ask(target, 'recording', token)
  if (response.headers.get('content-type') !== 'application/gzip') {
    throw notOurs(target, 'its response is not a recording')
  }
  return parseRecording(await bytesOf(response, target), target)
}

/** Writes a recording with the findings of doctor. @param {Recording} recording @param {string} file @returns bytes */
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

/** Findings of doctor, which a recording that the page saved does not have yet. @param {Recording} recording */
function findingsOf ({ findings: kept, metrics, process: { pid }, versions: { platform } }) {
  if (Array.isArray(kept)) return { lines: kept.map(String) }
  const samples = parseSamples(metrics)
  if (!samples.some(({ name }) => name === 'loopwatch_build_info')) return { lines: [] }
  const { lines } = findings(samples, `process ${pid}`, platform)
  return { lines: lines.map(rowOf) }
}

/** The body of an answer, which may be endless. @param {Response} response @param {string} target */
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

/** @param {string} file @param {{ port: number, open: boolean }} flags */
exports.view = async (file, { port, open }) => {
  const recording = readRecording(file)
  const signals = watchSignals(() => process.exit(1))
  const sources = sourcesOf(recording, file)
  /** @type {HttpServer | undefined} */
  let server
  try {
    const url = await new Promise((resolve, reject) => {
      server = new HttpServer({
        options: { host: HOST, port, allowHosts: [] },
        paths: makePaths(sources),
        onState: (at, error) => {
          if (error !== null) reject(codedErrorFrom(error, 'LOOPWATCH_ERR_PORT', '--port', port))
          else resolve(at)
        }
      })
    })
    say(recording, url)
    if (open) openFile(`${url}/`)
    await signals.first
  } finally {
    sources.page.close()
    server?.close()
    signals.release()
  }
}

/** @param {Recording} recording @param {string} url */
function say (recording, url) {
  const { recordedAt, blocks, process: { pid } } = recording
  const lines = [
    `${url}/ shows process ${pid} as it was at ${recordedAt}, with ${counted(blocks.length, 'block')}; Ctrl-C ends it`,
    ...findingsOf(recording).lines
  ]
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''))
}
