'use strict'

// Runs in the profiled application, before its code, and ends it on request. It reports events as lines of a file: they
// arrive even if the process is stuck or about to end.
const fs = require('node:fs')
const { isMainThread } = require('node:worker_threads')

/** @import { EventEmitter } from 'node:events' */

/** Signal that hardly any process uses; others ignore it. */
const STOP = 'SIGURG'
const FLUSH_MS = 4000

/** @typedef {{ events: string, ending: 'beforeExit' | 'exit', cpu?: { file: string, stop: string } | null }} Setup */

const text = process.env.__LOOPWATCH_PROFILE_RUN
// Processes that the application starts are not profiled.
delete process.env.__LOOPWATCH_PROFILE_RUN

if (isMainThread && text !== undefined) watch(JSON.parse(text))

/** @param {Setup} setup */
function watch ({ events, ending, cpu }) {
  const tell = (/** @type {object} */ event) => {
    try {
      fs.appendFileSync(events, `${JSON.stringify(event)}\n`)
    } catch {
      // The reader has gone.
    }
  }
  tell({ event: 'started', pid: process.pid })
  refuseCluster(tell)
  tellPort(tell)
  if (process.platform !== 'win32') {
    process.on(STOP, () => {
      if (ending === 'exit') process.exit(0)
      // On this event, the tools write their data and end the process.
      setTimeout(() => process.exit(0), FLUSH_MS)
      process.emit('beforeExit', 0)
    })
  }
  process.on('exit', (code) => tell({ event: 'exit', code }))
  if (cpu) require('./cpu-thread').profileCpu({ ...cpu, events })
}

/** @param {(event: object) => void} tell */
function refuseCluster (tell) {
  const cluster = /** @type {EventEmitter} */ (/** @type {unknown} */ (require('node:cluster')))
  const { reallyExit } = /** @type {{ reallyExit: (code: number) => never }} */ (/** @type {unknown} */ (process))
  // Runs before the tool's own listener, which throws into the application.
  cluster.prependListener('fork', () => {
    tell({ event: 'cluster' })
    reallyExit.call(process, 1)
  })
}

/** @param {(event: object) => void} tell */
function tellPort (tell) {
  const { Server } = require('node:net')
  const { listen } = Server.prototype
  Server.prototype.listen = function (/** @type {any[]} */ ...args) {
    this.once('listening', () => {
      const address = this.address()
      if (address === null || typeof address === 'string') return
      Server.prototype.listen = listen
      tell({ event: 'port', port: address.port, host: address.address, atMs: Date.now() })
    })
    return Reflect.apply(listen, this, args)
  }
}
