'use strict'

const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { cpuStatPath, memoryLimitIn, memoryPaths, numberIn, throttledIn } = require('../../util/cgroup')
const { linkOf, namesIn, schedIn, statOf, textOf } = require('../../util/kernel/file')
const { poolThreads } = require('../../util/kernel/pool-threads')
const { callOf, cut } = require('../../util/kernel/system-call')
const { descendantsOf, SystemCallReader } = require('../../util/kernel/system-call-reader')
const { inBytes, outOf, percent } = require('../../util/memory-text')
const { asleepText } = require('../../util/place-text')
const { startedAtMs } = require('../../util/processes')
const { counted, duration } = require('../../util/sentence')
const { MS_PER_MINUTE, MS_PER_TICK } = require('../../util/units')

/** Long enough for a share of a CPU, which older kernels count in ticks of 10 ms. */
const SPAN_MS = 200
/** A thread that is awake in between as often does not stay in one call. */
const MOST_SPANS = 5
/** Share of the time from which a thread that runs, or waits for a CPU, is busy. */
const BUSY_SHARE = 0.5
/** Number of busy threads that are named. */
const NAMED = 5
/** CPU time above which a thread was not in one call all the time. */
const AWAKE_MS = 1
/** Event loops of Node.js before the main thread runs code; spawnSync() makes another (20.20 to 26.10). */
const FIRST_LOOPS = 3
/** Calls within which Node.js answers (Atomics.wait() is a futex), and page faults, which are short. */
const ANSWERING = ['futex', 'page fault']
const BYTES_PER_KB = 1024
const MINUTES_PER_HOUR = 60
/** Units from which an age is in this unit and not in a smaller one. */
const LEAST_UNITS = 2

/** States of a thread by the letter in /proc/<pid>/stat, if it is neither running nor asleep. */
const STATES = /** @type {Record<string, string>} */ ({
  T: 'stopped (SIGSTOP, or Ctrl-Z)', t: 'stopped by a debugger (ptrace)'
})

/**
 * @typedef {[heading: string, text: string]} Row
 * @typedef {{ rows: Row[], isBusy: boolean, stuckIn: string | null }} KernelView
 *   isBusy: it ran or waited for a CPU; stuckIn: a call that the inspector cannot interrupt
 */

/**
 * The kernel's view of a process: no signal, no port. Null if /proc does not have it. Lasts SPAN_MS, longer if the
 * main thread fell asleep meanwhile: it may wait in a call that began just now.
 * @param {number} pid @returns {Promise<KernelView | null>}
 */
exports.kernelView = async (pid) => {
  let before = reading(pid)
  for (let spans = 1; before.tasks.size > 0; spans++) {
    await sleep(SPAN_MS)
    const after = reading(pid)
    const view = viewOf(pid, before, after)
    if (view === null || !view.mayBeStuck || view.stuckIn !== null || spans === MOST_SPANS) return view
    before = after
  }
  return null
}

/** @typedef {ReturnType<typeof reading>} Reading */

/** Null if the process has ended. @param {number} pid @param {Reading} before @param {Reading} after */
function viewOf (pid, before, after) {
  const [main, was] = [after, before].map(({ tasks }) => tasks.get(`${pid}`))
  if (main === undefined || was === undefined) return null
  const spanMs = after.atMs - before.atMs
  const cpuMs = main.cpuMs - was.cpuMs
  const call = callOf(after.call, process.arch)
  const isLoop = call?.waited === 'epoll' && firstLoops(pid).includes(call.args[0])
  const reader = new SystemCallReader(process.arch, pid)
  const wait = isLoop ? null : reader.read()
  reader.close()
  const children = descendantsOf(pid)
  const isForChild = wait?.text.includes(`child process ${children[0]} `)
  const isHeld = after.call === before.call && cpuMs < AWAKE_MS
  const mayBeStuck = wait !== null && !(main.state in STATES) && !ANSWERING.includes(wait.call) &&
    (call?.waited !== 'epoll' || isForChild === true)
  const text = `${wait?.text}${isForChild ? `, ${ageOf(children[0])}` : ''}`
  return {
    mayBeStuck,
    isBusy: cpuMs + (main.queuedMs - was.queuedMs || 0) >= spanMs * BUSY_SHARE,
    stuckIn: mayBeStuck && isHeld ? text : null,
    rows: /** @type {Row[]} */ ([
      ['process', processText(pid)],
      ['main', stateText(pid, main.state, isLoop ? 'its event loop, waiting for events' : wait && text)],
      ['CPU', `${percent(cpuMs, spanMs)} of ${duration(spanMs)}${
        timed('waiting for a CPU', main.queuedMs - was.queuedMs)}${
        timed('out of quota', after.throttledMs - before.throttledMs)}`],
      ['memory', memoryText(pid)],
      ['threads', threadsText(pid, before, after)],
      ...children.map((child) => ['child', processText(child)])
    ])
  }
}

/**
 * How often the thread that opens the inspector has slept: SIGUSR1 wakes it, unless the application handles the signal
 * itself. NaN if unknown: the thread has a name since Node.js 24. @param {number} pid
 */
exports.inspectorSleeps = (pid) => {
  const folders = namesIn(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}`)
  const folder = folders.find((each) => textOf(`${each}/comm`) === 'SignalInspector\n')
  return Number(/^voluntary_ctxt_switches:\s*(\d+)/m.exec(textOf(`${folder}/status`))?.[1])
}

/** Times are NaN if unknown. @param {number} pid */
function reading (pid) {
  const tasks = new Map(namesIn(`/proc/${pid}/task`).flatMap((tid) => {
    const folder = `/proc/${pid}/task/${tid}`
    const { name, state, user, system } = statOf(textOf(`${folder}/stat`))
    const { cpuMs, runQueueMs } = schedIn(textOf(`${folder}/schedstat`))
    const task = { name, state, cpuMs: cpuMs ?? (user + system) * MS_PER_TICK, queuedMs: runQueueMs ?? NaN }
    // The thread may have ended meanwhile.
    return Number.isNaN(task.cpuMs) ? [] : [[tid, task]]
  }))
  return {
    atMs: performance.now(),
    tasks,
    call: textOf(`/proc/${pid}/task/${pid}/syscall`),
    throttledMs: throttledIn(textOf(cpuStatPath(pid))) ?? NaN
  }
}

/** Descriptors of the event loops that Node.js has at its start. @param {number} pid */
function firstLoops (pid) {
  const fds = namesIn(`/proc/${pid}/fd`).map(Number).sort((a, b) => a - b)
  const loops = fds.filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === 'anon_inode:[eventpoll]')
  return loops.slice(0, FIRST_LOOPS)
}

/** @param {string} what @param {number} ms */
const timed = (what, ms) => Number.isNaN(ms) ? '' : `, ${what} ${duration(ms)}`

/** @param {number} pid @param {string} state its letter @param {string | null} call in which it sleeps */
function stateText (pid, state, call) {
  if (state in STATES) return STATES[state]
  if (state === 'R') return 'running, or waiting for a CPU'
  // More users may read the kernel's function than the system call. It is 0 for the others.
  const place = textOf(`/proc/${pid}/wchan`)
  const where = call ?? (place.length > 1 ? `the kernel's ${place}` : 'an unknown call')
  return `${asleepText(where)}${state === 'D' ? ', which nothing interrupts (a disk or a network file system)' : ''}`
}

/** @param {number} pid */
function memoryText (pid) {
  const kb = /^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1]
  const [current, limit] = memoryPaths(pid).map(textOf)
  const [bytes, most] = [numberIn(current), memoryLimitIn(limit)]
  const resident = `${inBytes(Number(kb ?? 0) * BYTES_PER_KB)} resident`
  if (bytes === null) return resident
  return `${resident}; its cgroup uses ${most === null ? `${inBytes(bytes)}, without a limit` : outOf(bytes, most)}`
}

/** @param {number} pid @param {ReturnType<typeof reading>} before @param {ReturnType<typeof reading>} after */
function threadsText (pid, before, after) {
  const pool = poolThreads(pid)
  const spanMs = after.atMs - before.atMs
  const busy = [...after.tasks].flatMap(([tid, { name, cpuMs, queuedMs }]) => {
    const was = before.tasks.get(tid)
    const ranMs = cpuMs - (was?.cpuMs ?? NaN)
    const wantedMs = ranMs + (queuedMs - (was?.queuedMs ?? NaN) || 0)
    return tid !== `${pid}` && wantedMs >= spanMs * BUSY_SHARE ? [`${name} ${percent(ranMs, spanMs)}`] : []
  })
  const others = busy.length === 0
    ? 'no other thread is busy'
    : `${counted(busy.length, 'busy thread')}: ${busy.slice(0, NAMED).join(', ')}`
  if (pool === null) return others
  return `libuv's pool has ${pool.busy} of ${pool.threads} busy, ${pool.computing} of them computing; ${others}`
}

/** @param {number} pid */
function processText (pid) {
  const [program, ...args] = textOf(`/proc/${pid}/cmdline`).split('\0')
  return `${pid}, ${cut([path.basename(program), ...args].join(' ').trim())}, ${ageOf(pid)}`
}

/** @param {number} pid */
function ageOf (pid) {
  const ms = Date.now() - (startedAtMs(pid) ?? NaN)
  const minutes = Math.floor(ms / MS_PER_MINUTE)
  const hours = Math.floor(minutes / MINUTES_PER_HOUR)
  const age = hours >= LEAST_UNITS ? `${hours} h` : minutes >= LEAST_UNITS ? `${minutes} min` : duration(ms)
  return `started ${age} ago`
}
