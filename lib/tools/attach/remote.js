'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { codedError } = require('../../errors')
const { listeningPorts } = require('./listening-ports')

const USUAL_PORT = 9229
/** Node.js opens it in some tens of milliseconds, on a thread of its own. */
const OPEN_MS = 5000
const POLL_MS = 25
const PROBE_MS = 500
const CONNECT_MS = 3000

/** What a process answers through its inspector, which is on a thread of its own: also while the process is stuck. */
class Remote {
  /** @type {import('ws').WebSocket} */
  #socket
  #lastId = 0
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map()
  isClosed = false

  /** @param {import('ws').WebSocket} socket connected */
  constructor (socket) {
    this.#socket = socket
    socket.on('message', (data) => {
      const { id, result } = JSON.parse(String(data))
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.isClosed = true
      for (const settle of this.#waiting.values()) settle(undefined)
    })
  }

  /**
   * Evaluates an expression on the main thread, at the next interrupt if that is busy.
   * @param {string} expression
   * @param {{ ms: number, awaitPromise?: boolean }} options how long to wait
   * @returns {Promise<{ value: any } | { thrown: string } | null>} null = no answer in time
   */
  async evaluate (expression, { ms, awaitPromise = false }) {
    if (this.isClosed) return null
    const id = ++this.#lastId
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression, silent: true, returnByValue: true, awaitPromise } }))
    const timeout = new AbortController()
    const result = await Promise.race([answer, sleep(ms, undefined, { signal: timeout.signal }).catch(() => {})])
    timeout.abort()
    this.#waiting.delete(id)
    if (result === undefined) return null
    const { exceptionDetails: details } = result
    return details ? { thrown: details.exception?.description ?? details.text } : { value: result.result?.value }
  }

  /** Has the process close its inspector, if that was opened for us, and lets go. @param {{ ours: boolean }} inspector */
  async end ({ ours }) {
    // The connection is cut before it can be answered.
    if (ours) await this.evaluate('process._debugEnd()', { ms: CONNECT_MS })
    this.#socket.terminate()
  }
}

/**
 * The inspector of a process that is open already.
 * @param {number} pid
 * @returns {Promise<string | null>} address of its WebSocket
 */
async function findInspector (pid) {
  for (const port of listeningPorts(pid) ?? [USUAL_PORT]) {
    const address = await inspectorAt(port)
    if (address !== null) return address
  }
  return null
}

/** @param {number} port @returns {Promise<string | null>} */
async function inspectorAt (port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { signal: AbortSignal.timeout(PROBE_MS) })
    const [target] = /** @type {any} */ (await response.json())
    const url = new URL(target.webSocketDebuggerUrl)
    return url.protocol === 'ws:' ? url.href : null
  } catch {
    return null
  }
}

/** Whether anything listens on the port that Node.js would take. */
async function isUsualPortTaken () {
  try {
    await fetch(`http://127.0.0.1:${USUAL_PORT}/json/version`, { signal: AbortSignal.timeout(PROBE_MS) })
    return true
  } catch (error) {
    return error.cause?.code !== 'ECONNREFUSED'
  }
}

/**
 * Connects to the inspector of a process, opening it by SIGUSR1 where it is closed.
 * @param {number} pid
 * @param {boolean} takesUsualPort it was not told another one
 * @param {() => void} onOpening called before the signal
 * @returns {Promise<{ remote: Remote, ours: boolean }>} ours: it was closed before
 * @throws {import('../../errors').LoopwatchError} LOOPWATCH_ERR_INSPECTOR
 */
exports.connect = async (pid, takesUsualPort, onOpening) => {
  const before = await findInspector(pid)
  let address = before
  if (address === null) {
    if (takesUsualPort && await isUsualPortTaken()) throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, `port ${USUAL_PORT} is taken by another process, and it would have to open its inspector there`)
    onOpening()
    openInspector(pid)
    const end = performance.now() + OPEN_MS
    while (address === null && performance.now() < end) {
      await sleep(POLL_MS)
      address = await findInspector(pid)
    }
  }
  if (address === null) {
    throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, `its inspector did not open within ${OPEN_MS / 1000} s: it has ended, or handles SIGUSR1 itself; start it with 'loopwatch run'`)
  }
  const remote = await open(address)
  if (remote === null) throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, `its inspector at ${address} does not take a connection`)
  const asked = await remote.evaluate('process.pid', { ms: PROBE_MS })
  // In a native call it does not answer now; on Linux the port was found among its own.
  if (asked !== null && (!('value' in asked) || asked.value !== pid)) {
    await remote.end({ ours: false })
    throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, `what listens at ${address} is another process`)
  }
  return { remote, ours: before === null }
}

/** @param {number} pid */
function openInspector (pid) {
  try {
    if (process.platform === 'win32') /** @type {any} */ (process)._debugProcess(pid)
    else process.kill(pid, 'SIGUSR1')
  } catch (error) {
    throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, error.message)
  }
}

/** @param {string} address @returns {Promise<Remote | null>} */
function open (address) {
  const { WebSocket } = require('ws')
  const socket = new WebSocket(address, { handshakeTimeout: CONNECT_MS, perMessageDeflate: false })
  return new Promise((resolve) => {
    socket.once('open', () => resolve(new Remote(socket)))
    socket.once('error', () => resolve(null))
  })
}

exports.Remote = Remote
