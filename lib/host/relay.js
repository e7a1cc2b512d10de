'use strict'

const { nowMs } = require('../clock')

const US_PER_MS = 1000
/** Of the inspector, on every Node.js line: `[worker 3] its name`. */
const TITLE = /^\[worker (\d+)\] ?([^]*)$/

/**
 * The way from the watchdog to the application's worker threads: their inspectors answer to the main
 * thread alone. Called by the watchdog through the inspector, at an interrupt. A session of a thread
 * with itself does everything at once, so none is open when this returns: none can make an ending
 * process wait for a debugger or print that it does.
 * @param {Pick<import('../bridge/bridge').Bridge, 'counters'>} bridge
 * @typedef {{ threadIds: number[], expression: string }[]} Calls an expression is called in its threads with
 * (undefined, the time it was passed on, the thread's name)
 */
exports.createRelay = ({ counters }) =>
  /** @param {{ Session: any, url: () => string | undefined }} inspector @param {Calls} calls */
  function relay ({ Session, url }, calls) {
    const startMs = nowMs()
    try {
      if (url() === undefined) send(new Session(), calls)
    } catch {
      // Whatever this inspector refuses: the questions stay unanswered.
    }
    counters.add('relayMicros', Math.round((nowMs() - startMs) * US_PER_MS))
    counters.add('relays', 1)
  }

/** @param {any} session @param {Calls} calls */
function send (session, calls) {
  /** @type {{ sessionId: string, workerInfo: { title: string } }[]} */
  const workers = []
  session.connect()
  try {
    session.on('NodeWorker.attachedToWorker', (/** @type {any} */ { params }) => workers.push(params))
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
    for (const { sessionId, workerInfo } of workers) {
      const [, id, name] = TITLE.exec(workerInfo.title) ?? []
      const call = calls.find(({ threadIds }) => threadIds.includes(Number(id)))
      if (call === undefined) continue
      const expression = `${call.expression}(undefined, ${nowMs()}, ${JSON.stringify(name)})`
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression, silent: true, returnByValue: true } })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    }
  } finally {
    session.disconnect()
  }
}
