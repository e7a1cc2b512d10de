'use strict'

const { codedErrorFrom } = require('../../tables/errors')
const { HttpServer } = require('../../export/http/server')
const { makePaths } = require('../../export/http/paths')
const { readRecording } = require('../../store/recording')
const { counted, printable } = require('../../util/sentence')
const { watchSignals } = require('../common/interruption')
const { openFile } = require('../common/open')
const { findingsOf } = require('./findings')
const { sourcesOf } = require('./sources')

/** @import { Recording } from '../../store/recording' */

const HOST = '127.0.0.1'

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
    signals.stop()
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
