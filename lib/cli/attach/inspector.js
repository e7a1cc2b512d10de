'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { parsed } = require('../common/parse')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { CLOSE, PID } = require('./expressions')
const { listenerOn, listenersOf } = require('../common/ports')
const { inspectorSleeps } = require('./kernel-view')
const { isAlive } = require('../../util/processes')
const { checkAgain } = require('./target-process')
const { POLL_MS, poll } = require('../common/signals')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { Listener } from '../common/ports'
 * @import { Target } from './target-process'
 */

/** Longest wait until the process opens its inspector, mostly some tens of milliseconds, or answers there. */
const ANSWER_MS = 5000
/** Longest wait until it closes its inspector, or stops the agent, which ends its thread by force after a second. */
const STOP_MS = 3000
/** Longest wait for an answer on a port where something other than an inspector may listen. */
const PROBE_MS = 500

/** The inspector has its own thread: it answers even while the event loop is stuck. */
class Remote {
  /** @type {WebSocket} */
  #socket
  #lastId = 0
  /** @type {Map<number, (answer: any) => void>} */
  #waiting = new Map()
  isClosed = false

  /** @param {WebSocket} socket connected */
  constructor (socket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      // A server that is not an inspector may send anything.
      const { id, result } = parsed(String(data))
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      this.isClosed = true
      for (const settle of this.#waiting.values()) settle(undefined)
    })
  }

  /**
   * Runs on the main thread; if that is busy, at the next interrupt.
   * @param {string} expression @param {{ ms: number, awaitPromise?: boolean }} options ms: how long to wait
   * @returns {Promise<{ value: any } | { thrown: string } | null>} null = no answer in time
   */
  async evaluate (expression, { ms, awaitPromise = false }) {
    if (this.isClosed) return null
    const id = ++this.#lastId
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve))
    this.#socket.send(JSON.stringify({
      id,
      method: 'Runtime.evaluate',
      params: { expression, includeCommandLineAPI: true, silent: true, returnByValue: true, awaitPromise }
    }))
    const timeout = new AbortController()
    const result = await Promise.race([answer, sleep(ms, undefined, { signal: timeout.signal }).catch(() => {})])
    timeout.abort()
    this.#waiting.delete(id)
    if (typeof result !== 'object' || result === null) return null
    const { exceptionDetails: details } = result
    return details ? { thrown: details.exception?.description ?? details.text } : { value: result.result?.value }
  }

  close () {
    this.isClosed = true
    this.#socket.close()
  }
}

/** @param {string} address of a WebSocket @returns {Promise<Remote | null>} */
function openRemote (address) {
  const socket = new WebSocket(address)
  const patience = setTimeout(() => socket.close(), ANSWER_MS)
  return new Promise((resolve) => {
    socket.addEventListener('open', () => {
      clearTimeout(patience)
      resolve(new Remote(socket))
    })
    for (const end of ['error', 'close']) {
      socket.addEventListener(end, () => {
        clearTimeout(patience)
        resolve(null)
      })
    }
  })
}

const USUAL = { host: '127.0.0.1', port: 9229, isLoopback: true }
const LOOPBACK = new Map([['0.0.0.0', '127.0.0.1'], ['[::]', '[::1]']])

class Inspector {
  #pid
  #place
  #isEnded = false

  /**
   * @param {{ pid: number, place: Listener, remote: Remote, address: string, isOurs: boolean }} parts
   * isOurs: it was closed before; address: another one each time it opens
   */
  constructor ({ pid, place, remote, address, isOurs }) {
    this.#pid = pid
    this.#place = place
    this.remote = remote
    this.address = address
    this.isOurs = isOurs
  }

  /** Disconnects; closes the inspector if it is ours. @param {number} [ms] to wait @throws LOOPWATCH_ERR_INSPECTOR */
  async end (ms = STOP_MS) {
    if (this.#isEnded) return
    this.#isEnded = true
    if (!this.isOurs) {
      this.remote.close()
      return
    }
    if (await this.closes(ms)) return
    const { host, port } = this.#place
    throw codedError('LOOPWATCH_ERR_INSPECTOR', this.#pid,
      `its inspector is STILL OPEN at ${host}:${port}, and any user of this machine can run code in the process. The ` +
        'process is probably in a native call, and closes the inspector afterwards: run ' +
        `'loopwatch attach ${this.#pid} --once' again to check`)
  }

  /** @param {number} ms to wait */
  async closes (ms) {
    const startMs = performance.now()
    await this.remote.evaluate(CLOSE, { ms })
    this.remote.close()
    return poll(async () => !await isOpen(this.#pid, this.#place), ms - (performance.now() - startMs))
  }
}

/** @param {number} pid @param {Listener} place */
async function isOpen (pid, { host, port }) {
  const listeners = listenersOf(pid)
  return listeners === null
    ? isTaken({ host, port })
    : listeners.some((each) => each.host === host && each.port === port)
}

/** Possible places of a process's inspector. @param {number} pid */
function placesOf (pid) {
  return listenersOf(pid) ?? [USUAL]
}

/** All places at once: other servers of a stuck process do not answer. @param {Listener[]} places */
async function findInspector (places) {
  const looking = new AbortController()
  try {
    return await Promise.any(
      places.map(async (place) => ({ place, address: await inspectorAt(place, looking.signal) }))
    )
  } catch {
    return null
  } finally {
    looking.abort()
  }
}

/** @param {{ host: string, port: number }} place @param {AbortSignal} signal */
async function inspectorAt ({ host, port }, signal) {
  const origin = `${LOOPBACK.get(host) ?? host}:${port}`
  const response = await fetch(`http://${origin}/json/list`, {
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)])
  })
  const [target] = /** @type {any} */ (await response.json())
  const { protocol, pathname } = new URL(target.webSocketDebuggerUrl)
  if (protocol !== 'ws:') throw new Error('it is not an inspector')
  // Use the address that we queried, whatever host and port the answer names.
  return `ws://${origin}${pathname}`
}

/** Whether anything answers, or at least does not refuse. @param {{ host: string, port: number | string }} place */
async function isTaken ({ host, port }) {
  try {
    await fetch(`http://${host}:${port}/json/version`, { signal: AbortSignal.timeout(PROBE_MS) })
    return true
  } catch (error) {
    return error.cause?.code !== 'ECONNREFUSED'
  }
}

/**
 * Why the server that answered is not the process, or null.
 * @param {{ value: any } | { thrown: string } | null} answer its process id @param {number} pid
 * @param {boolean} isItsPort by the kernel
 */
function impostor (answer, pid, isItsPort) {
  if (answer === null) {
    return isItsPort ? null : 'does not say whether it is that process, perhaps because of a native call'
  }
  return 'value' in answer && answer.value === pid ? null : 'is another process'
}

/**
 * SIGUSR1 opens a closed inspector. onOpening is called before the signal.
 * @param {Target} target @param {() => void} onOpening @param {number} [openMs] how long to wait after the signal
 * @throws LOOPWATCH_ERR_INSPECTOR, LOOPWATCH_ERR_ATTACH
 */
exports.connect = async (target, onOpening, openMs = ANSWER_MS) => {
  const { pid } = target
  const refuse = (/** @type {string} */ reason) => codedError('LOOPWATCH_ERR_INSPECTOR', pid, reason)
  const places = placesOf(pid)
  const before = await findInspector(places.filter(({ host, isLoopback }) => isLoopback || LOOPBACK.has(host)))
  const { place, address } = before ?? await open(target, onOpening, openMs, listenersOf(pid) === null ? [] : places)
  const remote = await openRemote(address)
  if (remote === null) throw refuse(`its inspector at ${address} refuses the connection`)
  const inspector = new Inspector({ pid, place, remote, address, isOurs: before === null })
  // A busy process may take the first question only when a second one comes.
  const answer = await remote.evaluate(PID, { ms: POLL_MS }) ?? await remote.evaluate(PID, { ms: PROBE_MS })
  const objection = impostor(answer, pid, listenersOf(pid) !== null)
  if (objection !== null) {
    // In a container with the network of its host, a process has another number for itself: the inspector is its own.
    const isOpened = inspector.isOurs && listenersOf(pid) !== null
    const isLeft = isOpened && !await inspector.closes(STOP_MS)
    if (!isOpened) remote.close()
    const what = isOpened ? 'is that process under another number, as in a container: attach from inside it' : objection
    throw refuse(`what listens at ${place.host}:${place.port} ${what}${isLeft ? '. ITS INSPECTOR IS STILL OPEN' : ''}`)
  }
  if (inspector.isOurs && !place.isLoopback) {
    const isClosed = await inspector.closes(STOP_MS)
    throw refuse(`its inspector opened on ${place.host}:${place.port}, where other machines could run code in the ` +
      `process; it is ${isClosed ? 'closed again' : 'STILL OPEN, since the process does not answer'}`)
  }
  return inspector
}

/** @param {Target} target @param {() => void} onOpening @param {number} openMs @param {Listener[]} others to skip */
async function open (target, onOpening, openMs, others) {
  const { pid, takesUsualPort } = target
  if (takesUsualPort && await isTaken(USUAL)) {
    const other = listenerOn(USUAL.port)
    throw codedError('LOOPWATCH_ERR_INSPECTOR', pid,
      `port ${USUAL.port}, where its inspector would open, is taken by ` +
        `${other === null ? 'another process' : `process ${other}`}`)
  }
  onOpening()
  checkAgain(target)
  const sleeps = inspectorSleeps(pid)
  sendSignal(pid)
  const inspector = await poll(() => findInspector(
    placesOf(pid).filter((place) => !others.some(({ host, port }) => host === place.host && port === place.port))
  ), openMs)
  if (inspector !== null) return inspector
  const silence = `its inspector did not open within ${openMs / MS_PER_S} s`
  throw codedError('LOOPWATCH_ERR_INSPECTOR', pid, `${silence}: the process ${silenceOf(pid, sleeps)}`)
}

/** Why the inspector did not open after the signal. @param {number} pid @param {number} sleeps before it */
function silenceOf (pid, sleeps) {
  const handles = "handles SIGUSR1 itself (start the application with 'loopwatch run')"
  const computes = 'is in a native call, after which the inspector opens and stays open'
  if (!isAlive(pid)) return 'has ended'
  const more = inspectorSleeps(pid) - sleeps
  return Number.isNaN(more) ? `${handles}, or ${computes}` : more === 0 ? handles : computes
}

/** @param {number} pid */
function sendSignal (pid) {
  try {
    if (process.platform === 'win32') /** @type {any} */ (process)._debugProcess(pid)
    else process.kill(pid, 'SIGUSR1')
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_INSPECTOR', pid, error.message)
  }
}

exports.ANSWER_MS = ANSWER_MS
exports.STOP_MS = STOP_MS
exports.impostor = impostor
exports.isTaken = isTaken
exports.findInspector = findInspector
