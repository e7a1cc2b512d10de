'use strict'

const { BroadcastChannel, receiveMessageOnPort } = require('node:worker_threads')
const { BUILTIN } = require('../../util/agent-global')
const { nowMs } = require('../../util/clock')
const { ACKNOWLEDGED, CHANNEL } = require('../../bridge/messages')
const { US_PER_MS } = require('../../util/units')

/** Of the inspector, on every Node.js line: `[worker 3] its name`. */
const TITLE = '[worker '
/** The application's thread is never kept longer, whoever has not answered. */
const HOLD_MS = 10
/** So much of it must be left for the answers, or nothing is asked. */
const ANSWER_MS = 5

/** @typedef {import('../../types').ProxyCall} Call */

/**
 * The way from the watchdog to the application's worker threads: their inspectors answer to the main
 * thread alone. Called by the watchdog through the inspector, at an interrupt. A session of a thread
 * with itself does everything at once, so none is open when this returns: none can make an ending
 * process wait for a debugger or print that it does.
 *
 * It waits for the threads to begin (`waitMs`) and then until they have answered: a worker that is
 * terminated while it evaluates for an inspector loses the termination, and a loop that does not end goes on for ever
 * (measured on 20.20, 22.23, 24.21, 26.10). Whoever would terminate it is this thread, which therefore stays here,
 * though never for long; one that is in a native call is left alone, since its termination would come before our
 * question.
 * @param {Pick<import('../../bridge/memory').Bridge, 'counters'>} bridge
 * @param {Pick<import('../../bridge/worker-exit-lock').WorkerExitLock, 'enter' | 'leave'>} exitLock
 * @param {{ hasStopping: () => boolean }} workers
 */
exports.createInspectorProxy = ({ counters }, exitLock, workers) =>
  /** @param {{ Session: any, url: () => string | undefined }} inspector @param {Call} call */
  function callWorkers ({ Session, url }, call) {
    const startMs = nowMs()
    if (exitLock.enter(startMs)) {
      try {
        if (url() === undefined && !workers.hasStopping()) {
          send(new Session(), call, counters.get('workerCalls'), startMs + HOLD_MS)
        }
      } catch {
        // Whatever this inspector refuses: the questions stay unanswered.
      } finally {
        exitLock.leave()
      }
    }
    counters.add('workerCallMicros', Math.round((nowMs() - startMs) * US_PER_MS))
    counters.add('workerCalls', 1)
  }

/**
 * @param {any} session
 * @param {Call} call
 * @param {number} number of this call: an answer may belong to an earlier one
 * @param {number} endMs
 */
function send (session, { threadIds, expression, most, lists, waitMs }, number, endMs) {
  /** @type {{ sessionId: string, workerInfo: { title: string } }[]} */
  const workers = []
  const channel = new BroadcastChannel(ACKNOWLEDGED)
  session.connect()
  try {
    session.on('NodeWorker.attachedToWorker', (/** @type {any} */ { params }) => workers.push(params))
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    const threads = workers.map(({ sessionId, workerInfo }) => ({ sessionId, ...parseTitle(workerInfo.title) }))
    if (lists) tell(threads.map(({ id }) => id))
    if (nowMs() > endMs - ANSWER_MS) return
    const chosen = threads.filter(({ id }) => threadIds.includes(id)).slice(0, most)
    for (const { sessionId, name } of chosen) {
      const text = acknowledged(`${expression}(undefined, ${nowMs()}, ${JSON.stringify(name)})`, number)
      const params = { expression: text, silent: true, returnByValue: true }
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    }
    awaitDone(channel, chosen.length, number, Math.min(nowMs() + waitMs, endMs), endMs)
  } finally {
    channel.close()
    session.disconnect()
  }
}

/** No regular expression: it would overwrite the application's RegExp.$1. @param {string} title */
function parseTitle (title) {
  const end = title.indexOf(']')
  if (!title.startsWith(TITLE) || end === -1) return { id: NaN, name: '' }
  return { id: Number(title.slice(TITLE.length, end)), name: title.slice(end + 1).trimStart() }
}

/** @param {number[]} living */
function tell (living) {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ living })
  channel.close()
}

/**
 * Never by Atomics.wait(): V8 has one place a thread to note what it waits for, so where the application
 * is in one already, a second on top of it corrupts memory ("free(): invalid pointer", on 20.20).
 * @param {BroadcastChannel} channel
 * @param {number} asked how many threads
 * @param {number} number of this call
 * @param {number} begunMs until when threads that have not begun are waited for
 * @param {number} endMs
 */
function awaitDone (channel, asked, number, begunMs, endMs) {
  /** @type {Int32Array[]} */
  const begun = []
  while (nowMs() < endMs) {
    const received = receiveMessageOnPort(/** @type {any} */ (channel))?.message
    if (received?.number === number) begun.push(received.done)
    else if (begun.length < asked && nowMs() < begunMs) continue
    else if (begun.every((done) => Atomics.load(done, 0) === 1)) return
  }
}

/**
 * The expression, which says when it begins and when it has ended. The end is its very last act: a
 * function entered after it would be one more place to lose a termination in.
 * @param {string} expression
 * @param {number} number of this call
 */
function acknowledged (expression, number) {
  return `{
    const { BroadcastChannel } = ${BUILTIN}('node:worker_threads')
    const done = new Int32Array(new SharedArrayBuffer(4))
    const channel = new BroadcastChannel('${ACKNOWLEDGED}')
    channel.postMessage({ number: ${number}, done })
    channel.close()
    try { ${expression} } finally { Atomics.store(done, 0, 1) }
  }`
}
