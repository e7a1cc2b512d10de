'use strict'

const { randomBytes } = require('node:crypto')
const { setTimeout: sleep } = require('node:timers/promises')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { isAlive } = require('../../util/processes')
const { asleepText } = require('../../util/place-text')
const { duration } = require('../../util/sentence')
const { AGENT_URL, STACK, STOP_AGENT, WAITS, startAgent } = require('./expressions')
const { ANSWER_MS, STOP_MS, connect, isTaken } = require('./inspector')
const { telling } = require('../../export/log/pretty')
const { kernelView } = require('./kernel-view')
const { connectionsOf, socketRows, waitRows } = require('./waits')
const { checkProcess } = require('./target-process')
const { freePort } = require('../common/ports')
const { clockTime, follow, print, say } = require('./follow')
const { SLOW_NOW, rowOf } = require('../doctor/doctor')
const { poll, watchSignals } = require('../common/signals')
const { MS_PER_S } = require('../../util/units')

/**
 * @import { Options } from '../../options/table'
 * @import { KernelView, Row } from './kernel-view'
 * @import { Target } from './target-process'
 * @import { Connection } from './waits'
 */

/** Longest wait for the inspector when we leave: a native call may delay it. A second Ctrl-C does not wait. */
const LEAVE_MS = 30000
/** Blocks that the agent keeps: as many as a person reads between two polls. */
const KEEP = 50
/** Most samples of `--once` while the process is idle: it may be busy at other moments. */
const LOOKS = 10
/** Between samples. */
const SAMPLE_MS = 20
/** Longest wait for a sample: a late one has the stack after a native call, not within it. */
const SAMPLED_WITHIN_MS = 1000

/** @typedef {{ once?: boolean, outside?: boolean, seconds?: number, threshold: number, token?: string }} Flags */
/** @typedef {ReturnType<typeof watchSignals>} Signals */
/** @typedef {Awaited<ReturnType<typeof connect>>} Inspector */

/** @param {string} text the process id @param {Flags} flags */
exports.attach = async (text, flags) => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw codedError('LOOPWATCH_ERR_OPTION', '<pid>', 'a process id', text)
  const pid = Number(text)
  const connections = flags.once ? await connectionsOf(pid) : []
  const view = await kernelView(pid)
  if (flags.once) {
    if (process.platform !== 'linux') say('only Linux has /proc, which shows the kernel\'s view; the stack follows')
    printRows(view?.rows ?? [])
    if (view?.isBusy === false) printRows(socketRows(connections))
  }
  const target = checkProcess(pid)
  await checkCall(pid, view, flags.once ? 0 : ANSWER_MS)
  if (typeof WebSocket === 'undefined') {
    throw codedError('LOOPWATCH_ERR_ATTACH', pid,
      `the command needs Node.js 22 or later, got ${process.versions.node}; the process may run an older one`)
  }
  // A Ctrl-C must not leave an open inspector behind.
  const signals = watchSignals(() => process.exit(1))
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  try {
    const inspector = await connect(target, () =>
      say(`opening the inspector of process ${pid} on this machine's loopback address; until it is closed, any user ` +
        'of this machine can run code in that process'))
    try {
      if (signals.isOver) return
      if (flags.seconds !== undefined) timer = setTimeout(signals.stop, flags.seconds * MS_PER_S)
      await (flags.once ? lookOnce(inspector.remote, pid, connections) : watch(inspector, target, flags, signals))
    } finally {
      await inspector.end()
    }
  } finally {
    clearTimeout(timer)
    signals.release()
  }
}

/**
 * A signal during a call that nothing interrupts would open the inspector later, and leave it open.
 * @param {number} pid @param {KernelView | null} first @param {number} patienceMs @throws LOOPWATCH_ERR_ATTACH
 */
async function checkCall (pid, first, patienceMs) {
  const endMs = performance.now() + patienceMs
  let view = first
  while (view?.stuckIn && performance.now() < endMs) view = await kernelView(pid)
  if (!view?.stuckIn) return
  const reason = `its main thread ${asleepText(view.stuckIn, 'is ')}, and shows no stack until that returns`
  throw codedError('LOOPWATCH_ERR_ATTACH', pid, `${reason}; nothing was sent to the process`)
}

/** @param {Row[]} rows */
function printRows (rows) {
  for (const row of rows) print(rowOf(row))
}

/** @param {Inspector['remote']} remote @param {number} pid @param {Connection[]} connections of the process */
async function lookOnce (remote, pid, connections) {
  let frames = await askStack(remote, ANSWER_MS)
  for (let i = 1; i < LOOKS && frames?.length === 0; i++) {
    await sleep(SAMPLE_MS)
    frames = await askStack(remote, ANSWER_MS)
  }
  if (frames === null) {
    print(`process ${pid} did not answer within ${ANSWER_MS / MS_PER_S} s: it is in a native call or gets no CPU`)
  } else if (frames.length === 0) {
    print(`process ${pid} is idle: it waited for events in ${LOOKS} of ${LOOKS} samples. A block may have ended ` +
      'before its inspector opened; leave out --once to see the next one')
    const answer = await remote.evaluate(WAITS, { ms: ANSWER_MS })
    if (connections.length > 0 && connections.every(({ quietMs }) => Number.isNaN(quietMs))) {
      say('for how long sockets had no data is not known: that needs ss, of the package iproute2')
    }
    if (answer !== null && 'value' in answer) printRows(waitRows(answer.value, connections))
    else say(`the requests of process ${pid} cannot be read`)
  } else for (const line of [`process ${pid} is`, ...frames.map((frame) => `    ${frame}`)]) print(line)
  print(rowOf(SLOW_NOW))
}

/** @param {Inspector['remote']} remote @param {number} ms @returns {Promise<string[] | null>} null = no answer */
async function askStack (remote, ms) {
  const answer = await remote.evaluate(STACK, { ms })
  return answer !== null && 'value' in answer && Array.isArray(answer.value) ? answer.value : null
}

/**
 * Follows the agent of the process, or one that we start in it; without either, samples it from outside.
 * @param {Inspector} inspector @param {Target} target @param {Flags} flags @param {Signals} signals
 */
async function watch (inspector, target, flags, signals) {
  const port = await freePort()
  const token = randomBytes(16).toString('hex')
  const { threshold } = flags
  const outcome = flags.outside
    ? '--outside'
    : !target.isSameFiles
        ? 'the process has another file system'
        // The agent did not see the worker threads start, so it cannot query them safely.
        : await startIn(inspector.remote,
          { host: '127.0.0.1', port, token, log: false, keep: KEEP, threads: 'off', threshold })
  if (outcome === 'running') return followOwn(inspector, target.pid, flags, signals)
  if (outcome === 'started') return followOurs(inspector, target, { url: `http://127.0.0.1:${port}`, token }, signals)
  return watchFromOutside(inspector, target.pid, { reason: outcome, threshold }, signals)
}

/** @param {Inspector} inspector @param {number} pid @param {Flags} flags @param {Signals} signals */
async function followOwn (inspector, pid, flags, signals) {
  const url = await urlOf(inspector.remote, pid)
  await endInspector(inspector)
  say(`process ${pid} has an agent of its own, at ${url}`)
  await follow(url, flags.token, pid, signals)
}

/**
 * @param {Inspector} inspector @param {Target} target
 * @param {{ url: string, token: string }} agent @param {Signals} signals
 */
async function followOurs (inspector, target, { url, token }, signals) {
  // While it is open, any user of this machine can run code in the process.
  const isClosed = await endInspector(inspector)
  const leftOpen = inspector.isOurs ? 'is open' : 'was open already and stays open'
  say(`watching process ${target.pid} with an agent inside it, its inspector ` +
    `${isClosed ? 'is closed again' : leftOpen}; Ctrl-C stops watching`)
  try {
    await follow(url, token, target.pid, signals)
  } finally {
    await leave(target, url, inspector.isOurs && !isClosed ? inspector.address : null)
  }
}

/** Whether the inspector was ours and is closed. @param {Inspector} inspector */
const endInspector = (inspector) => inspector.end().then(() => inspector.isOurs, (error) => {
  say(error.message)
  return false
})

/**
 * Loads nothing into the process. Finds busy spells by sampling: callbacks without a pause between them count as one.
 * Prints a spell when it reaches the threshold, and when it ends.
 * @param {Inspector} inspector @param {number} pid @param {{ reason: string, threshold: number }} how
 * @param {Signals} signals
 */
async function watchFromOutside ({ remote, isOurs }, pid, { reason, threshold }, signals) {
  say(`watching process ${pid} from outside (${reason}): its inspector ` +
    `${isOurs ? 'stays open until Ctrl-C' : 'was open already and stays open'}`)
  /** @type {{ startMs: number, frames: string[], isPrinted: boolean } | null} */
  let spell = null
  let lastIdleMs = performance.now()
  while (!signals.isOver && !remote.isClosed) {
    const questionMs = performance.now()
    const frames = await askStack(remote, SAMPLED_WITHIN_MS)
    const nowMs = performance.now()
    const isIdle = frames?.length === 0
    if (!isIdle || nowMs - questionMs >= threshold) {
      spell ??= { startMs: lastIdleMs, frames: [], isPrinted: false }
      if (spell.frames.length === 0) spell.frames = frames ?? []
      if (!spell.isPrinted && !isIdle && nowMs - spell.startMs >= threshold) {
        spell.isPrinted = true
        printSpell(`busy for at least ${duration(nowMs - spell.startMs)} so far`, spell.frames)
        for (const frame of telling(spell.frames).slice(1)) print(`    ${frame}`)
      }
    }
    if (isIdle) {
      const ms = spell === null ? 0 : nowMs - spell.startMs
      if (spell !== null && ms >= threshold) printSpell(`was busy for ${duration(ms)}`, spell.frames)
      spell = null
      lastIdleMs = nowMs
    }
    await sleep(SAMPLE_MS)
  }
  if (remote.isClosed) say(`process ${pid} has ended`)
}

/** @param {string} state @param {string[]} frames innermost first */
const printSpell = (state, [innermost = 'no stack taken']) =>
  print(`${clockTime(new Date().toISOString())} event loop ${state}: ${innermost.replace(/^at /, '')}`)

/**
 * Starts an agent in the process. The result is `started`, `running` or the reason why there is none.
 * @param {Inspector['remote']} remote @param {Options} options @returns {Promise<string>}
 */
async function startIn (remote, options) {
  // An agent that starts after we stopped waiting would run without our knowing.
  const untilMs = Date.now() + ANSWER_MS - MS_PER_S
  const answer = await remote.evaluate(startAgent(options, untilMs), { ms: ANSWER_MS })
  if (answer === null) return 'the process does not answer: it is in a native call'
  return 'value' in answer ? answer.value : answer.thrown
}

/** @param {Inspector['remote']} remote @param {number} pid @returns {Promise<string>} */
async function urlOf (remote, pid) {
  const answer = await remote.evaluate(AGENT_URL, { ms: ANSWER_MS, awaitPromise: true })
  if (answer !== null && 'value' in answer && typeof answer.value === 'string') return answer.value
  throw codedError('LOOPWATCH_ERR_ATTACH', pid,
    'an agent watches it, but has no endpoint or does not answer: see the log of the process; --once prints the ' +
      'current stack')
}

/**
 * Stops our agent, and closes the inspector if it is ours.
 * @param {Target} target @param {string} url @param {string | null} ours the inspector that a block kept open
 */
async function leave (target, url, ours) {
  const { pid } = target
  const inspector = await connect(target, () => {}, LEAVE_MS).catch((error) => {
    if (!isAlive(pid)) return null
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_ATTACH', pid, `its agent was not stopped: ${error.message}`)
  })
  if (inspector === null) return
  inspector.isOurs ||= inspector.address === ours
  await inspector.remote.evaluate(STOP_AGENT, { ms: ANSWER_MS })
  await inspector.end()
  const { hostname: host, port } = new URL(url)
  if (!await poll(async () => !await isTaken({ host, port }), STOP_MS)) {
    throw codedError('LOOPWATCH_ERR_ATTACH', pid, `its agent at ${url} is still running: the process did not react, ` +
      'perhaps because of a native call')
  }
  say(`left process ${pid}: the agent in it is ` +
    `stopped${inspector.isOurs ? ', its inspector closed' : '; its inspector was open already and stays open'}`)
}
