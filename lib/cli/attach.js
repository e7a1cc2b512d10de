'use strict'

const { randomBytes } = require('node:crypto')
const { codedError } = require('../errors')
const { describe, printable } = require('../export/describe')
const { AGENT_URL, STOP_AGENT, startAgent } = require('../tools/attach/expressions')
const { askStack, watchFromOutside } = require('../tools/attach/outside-watch')
const { connect } = require('../tools/attach/remote')
const { checkProcess } = require('../tools/attach/target-process')
const { choosePort } = require('../tools/port')
const { watchSignals } = require('./signals')

const MS_PER_S = 1000
const POLL_MS = 250
const ANSWER_MS = 5000
/** A worker thread starts in the process for it. */
const READY_MS = 15000
/** Samples of `--once`, for a process that is only now and then idle. */
const LOOKS = 10
const LOOK_MS = 20
const FRAMES = 15
/** A block in progress is told again after this long. */
const AGAIN_MS = 5000

/** @typedef {{ once?: boolean, outside?: boolean, seconds?: number, threshold: number, token?: string }} Flags */
/** @typedef {import('../store/record').BlockRecord} BlockRecord */
/** @typedef {ReturnType<typeof watchSignals>} Signals */

const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`)
const print = (/** @type {string} */ text) => process.stdout.write(`${printable(text)}\n`)
const now = () => new Date().toISOString().slice(11, 23)

/** @param {string} text of the process id @param {Flags} flags */
exports.attach = async (text, flags) => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw codedError('LOOPWATCH_ERR_OPTION', 'attach', 'a process id', text)
  const pid = Number(text)
  const target = checkProcess(pid)
  const inspector = await connect(pid, target.takesUsualPort, () => say(`opening the inspector of process ${pid} on this machine's loopback address; until it is closed again any user here can run code in that process`))
  if (flags.once) {
    await lookOnce(inspector, pid)
    return
  }
  const signals = watchSignals(() => process.exit(1))
  const timer = flags.seconds === undefined ? undefined : setTimeout(signals.stop, flags.seconds * MS_PER_S)
  try {
    await watch(inspector, pid, target, flags, signals)
  } catch (error) {
    if (!inspector.remote.isClosed) await inspector.remote.end(inspector)
    throw error
  } finally {
    clearTimeout(timer)
    signals.stop()
    signals.release()
  }
}

/** @param {Awaited<ReturnType<typeof connect>>} inspector @param {number} pid */
async function lookOnce (inspector, pid) {
  const { remote } = inspector
  try {
    let frames = await askStack(remote, ANSWER_MS)
    for (let i = 1; i < LOOKS && frames?.length === 0; i++) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      frames = await askStack(remote, ANSWER_MS)
    }
    if (frames === null) print(`process ${pid} does not answer within ${ANSWER_MS / MS_PER_S} s: it is inside a native call or has no CPU`)
    else if (frames.length === 0) print(`process ${pid} waits for events (${LOOKS} looks)`)
    else for (const line of [`process ${pid} is`, ...frames.map((frame) => `    ${frame}`)]) print(line)
  } finally {
    await remote.end(inspector)
  }
}

/** @param {Awaited<ReturnType<typeof connect>>} inspector @param {number} pid @param {ReturnType<typeof checkProcess>} target @param {Flags} flags @param {Signals} signals */
async function watch (inspector, pid, { isSameFiles, takesUsualPort }, flags, signals) {
  const { remote } = inspector
  const port = await choosePort({ flag: '--port', usual: 0 })
  const token = randomBytes(16).toString('hex')
  const how = flags.outside
    ? '--outside'
    : !isSameFiles
        ? 'it sees other files than we do'
        // Its worker threads have not been seen to start, so they cannot be asked safely.
        : await outcome(remote, { host: '127.0.0.1', port, token, log: false, threads: 'off', threshold: flags.threshold })
  if (how === 'started' || how === 'running') {
    const url = how === 'started' ? `http://127.0.0.1:${port}` : await urlOf(remote, pid)
    // An agent stands aside while anybody else inspects its process.
    await remote.end(inspector)
    say(how === 'started' ? `watching process ${pid} by an agent in it, its inspector is closed again; Ctrl-C ends both` : `process ${pid} has an agent of its own, at ${url}`)
    try {
      await follow(url, how === 'started' ? token : flags.token, pid, signals)
    } finally {
      if (how === 'started') await leave(pid, takesUsualPort)
    }
    return
  }
  say(`watching process ${pid} from outside (${how}): its inspector stays open until Ctrl-C`)
  await watchFromOutside(remote, {
    thresholdMs: flags.threshold,
    isOver: () => signals.isOver,
    onSpell: ({ ms, ongoing, frames }) => {
      print(`${now()} event loop ${ongoing ? 'busy' : 'was busy'} for ${Math.round(ms)} ms${ongoing ? ' so far' : ''}: ${frames[0] ?? 'no stack taken'}`)
      if (ongoing) for (const frame of frames.slice(1, FRAMES)) print(`    ${frame}`)
    }
  })
  if (remote.isClosed) say(`process ${pid} has ended`)
  await remote.end(inspector)
}

/** @param {import('../tools/attach/remote').Remote} remote @param {import('../options').Options} options @returns {Promise<string>} */
async function outcome (remote, options) {
  const answer = await remote.evaluate(startAgent(options, Date.now() + ANSWER_MS), { ms: ANSWER_MS })
  return answer === null ? 'it does not answer: it is inside a native call' : 'value' in answer ? answer.value : answer.thrown
}

/** @param {import('../tools/attach/remote').Remote} remote @param {number} pid @returns {Promise<string>} */
async function urlOf (remote, pid) {
  const answer = await remote.evaluate(AGENT_URL, { ms: ANSWER_MS, awaitPromise: true })
  if (answer !== null && 'value' in answer && typeof answer.value === 'string') return answer.value
  throw codedError('LOOPWATCH_ERR_ATTACH', pid, 'loopwatch already watches it, without an endpoint or stuck: see its log for blocks; --once prints where it is')
}

/** Prints blocks as they go, until a signal comes or the process ends. @param {string} url @param {string | undefined} token @param {number} pid @param {Signals} signals */
async function follow (url, token, pid, signals) {
  /** @type {Record<string, string>} */
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  /** @type {Map<string, { wasOver: boolean, atMs: number }>} blocks, as they were told last */
  const told = new Map()
  const startMs = performance.now()
  let isReady = false
  while (!signals.isOver) {
    /** @type {BlockRecord[] | null} */
    const records = await fetch(new URL('/blocks', url), { headers, signal: AbortSignal.timeout(ANSWER_MS) })
      .then((response) => response.ok ? response.json() : null, () => null).then((body) => /** @type {any} */ (body))
    if (records === null && !isAlive(pid)) {
      say(`process ${pid} has ended`)
      return
    }
    if (records === null && !isReady && performance.now() - startMs > READY_MS) throw codedError('LOOPWATCH_ERR_ATTACH', pid, `its agent does not answer at ${url}`)
    isReady ||= records !== null
    for (const record of (records ?? []).toReversed()) tell(record, told)
    await signals.sleep(POLL_MS).catch(() => {})
  }
}

/** @param {BlockRecord} record @param {Map<string, { wasOver: boolean, atMs: number }>} told */
function tell (record, told) {
  const { id, ongoing, stacks } = record
  const last = told.get(id)
  const atMs = performance.now()
  if (last !== undefined && (last.wasOver || (ongoing && atMs - last.atMs < AGAIN_MS))) return
  told.set(id, { wasOver: !ongoing, atMs })
  // The agent has not seen the process start.
  print(`${now()} ${describe({ ...record, startup: false })}`)
  // Once is enough.
  if (last !== undefined || stacks.length === 0) return
  for (const { function: name, file, line, column } of stacks[0].frames.slice(0, FRAMES)) {
    print(`    at ${name ?? '(anonymous)'}${file === null ? '' : ` (${file}:${line}:${column})`}`)
  }
}

/** Stops the agent in the process, and closes the inspector that this takes. @param {number} pid @param {boolean} takesUsualPort */
async function leave (pid, takesUsualPort) {
  if (!isAlive(pid)) return
  const inspector = await connect(pid, takesUsualPort, () => {})
  await inspector.remote.evaluate(STOP_AGENT, { ms: ANSWER_MS })
  await inspector.remote.end(inspector)
  say(`left process ${pid}: the agent in it is stopped, its inspector closed`)
}

/** @param {number} pid */
function isAlive (pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
