'use strict'

const { EventEmitter } = require('node:events')
const { publish } = require('./events')
const { createMemory, openBridge } = require('../bridge/bridge')
const { LEAD } = require('../bridge/messages')
const { startClusterRole } = require('./cluster-role')
const { startHeartbeat } = require('./heartbeat')
const { startDelayHistogram } = require('./delay')
const { startGcObserver } = require('./gc')
const { startContext, noContext } = require('./context')
const { createProbe } = require('./probe')
const { isContextSafe } = require('./runtime')
const { unblockStream } = require('./stream')
const { WatchdogThread } = require('./watchdog-thread')

/**
 * The agent of one process: what senses on the host thread, and the watchdog it reports to.
 *
 * Event `block`: a finished block's record (lib/store/record.js). It needs the host's loop, so it
 * comes late by nature; the log, the endpoint and `dir` do not.
 */
class Agent extends EventEmitter {
  /** Content type of what metrics() resolves with. */
  contentType = 'text/plain; version=0.0.4; charset=utf-8'
  #parts
  #thread
  /** @type {Promise<{ url: string | null }>} */
  #ready
  #isReady = false
  /** @type {Promise<void> | null} */
  #stopping = null
  #forget

  /**
   * @param {import('../options').ResolvedOptions} options
   * @param {(agent: Agent) => void} forget called when the agent stops
   */
  constructor (options, forget) {
    super()
    this.#forget = forget
    const memory = createMemory()
    const bridge = openBridge(memory)
    const isUnsafe = options.requests === 'auto' && !isContextSafe(process.versions.node)
    const context = options.requests === 'off' || isUnsafe ? noContext : startContext()
    /** Called by the watchdog through the inspector, in mid-block. Not for others. */
    this.probe = createProbe(bridge, context.current)
    const heartbeat = startHeartbeat(bridge, options)
    const delay = startDelayHistogram(options)
    const cluster = startClusterRole(() => this.#thread.tell(LEAD))
    this.#parts = [heartbeat, delay, context, startGcObserver(bridge), cluster]

    unblockStream(options.log)

    let settle = (/** @type {{ url: string | null }} */ _) => {}
    this.#ready = new Promise((resolve) => { settle = resolve })
    const onSettled = (/** @type {string | null} */ url) => {
      this.#isReady = true
      this.#thread?.unref()
      settle({ url })
    }
    this.#thread = new WatchdogThread(
      () => ({ memory, options, histogram: delay.histogram, mayInspect: mayInspect(), namesRequests: !isUnsafe, role: cluster.role() }),
      {
        onListening: onSettled,
        onBlock: (record) => {
          publish(record)
          this.emit('block', record)
        },
        onLost: (error) => {
          warnOnce(error)
          onSettled(null)
        }
      })
  }

  /**
   * Settles when the watchdog watches and its endpoint listens, in a worker of node:cluster when it
   * has joined the primary's; `url` is null where there is none (port: false, no free port, no watchdog).
   */
  get ready () {
    // Waiting for it keeps the process alive, having an agent does not.
    if (!this.#isReady) this.#thread.ref()
    return this.#ready
  }

  /** Blocks in memory, newest first. @returns {Promise<import('../store/record').BlockRecord[]>} */
  blocks () {
    return this.#thread.call('blocks', [])
  }

  /** All metrics in Prometheus text format, to append to an existing endpoint. @returns {Promise<string>} */
  metrics () {
    return this.#thread.call('metrics', '')
  }

  /** Releases everything; the process can then end by itself. @returns {Promise<void>} */
  stop () {
    this.#stopping ??= (async () => {
      this.#forget(this)
      for (const part of this.#parts) part.stop()
      await this.#thread.stop()
    })()
    return this.#stopping
  }
}

/**
 * A thread that connects to its parent's inspector against the permission model does not get an
 * error: the process aborts (measured on 20.20, 22.23, 24.21, 26.10), and only the parent can tell.
 */
function mayInspect () {
  const { permission } = /** @type {{ permission?: { has: (scope: string) => boolean } }} */ (/** @type {unknown} */ (process))
  return permission === undefined || permission.has('inspector')
}

let warned = false

/** @param {Error} error */
function warnOnce (error) {
  if (warned) return
  warned = true
  process.emitWarning(`loopwatch has no watchdog thread and will try again: ${error.message}`, {
    type: 'LoopwatchWarning', code: 'LOOPWATCH_WARN_WATCHDOG'
  })
}

exports.Agent = Agent
