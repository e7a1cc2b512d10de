'use strict'

const fs = require('node:fs')
const process = require('./process')
const { cgroupPaths, NOWHERE, numberIn } = require('./cgroup')
const { textOf } = require('./files')
const { BYTES_PER_MB } = require('./units')

/** @typedef {{ threads: number, addressSpaceMb: number }} Room that a process still has; Infinity without a limit */

/**
 * A thread of ours takes 160 to 590 MB of address space as it starts (20.20 to 26.10), and some more as it works. Close
 * to the limit V8 aborts the process.
 */
const ADDRESS_SPACE_MB = 768

/** Limit above which the processes of a user are not counted: the default of machines. */
const MANY_PROCESSES = 4096

/** Line of /proc/self/uid_map where root is the machine's own, whom the limit of processes does not bind. */
const ALL_USERS = /^ *0 +0 +4294967295 *$/m

/** @param {string} status of a process, empty if unknown @param {string} field */
const fieldOf = (status, field) => Number(new RegExp(`^${field}:[^0-9]*([0-9]+)`, 'm').exec(status)?.[1] ?? 0)

/** Threads of all processes that this user has. @param {number} user */
function countThreads (user) {
  let threads = 0
  for (const name of fs.readdirSync('/proc')) {
    const status = /^[0-9]+$/.test(name) ? textOf(`/proc/${name}/status`) : ''
    if (status !== '' && fieldOf(status, 'Uid') === user) threads += fieldOf(status, 'Threads')
  }
  return threads
}

/** Limits of this process, read once. @type {ReturnType<typeof readLimits> | undefined} */
let limits

function readLimits () {
  const text = textOf('/proc/self/limits')
  const softOf = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name} +([0-9]+)`, 'm').exec(text)?.[1] ?? Infinity)
  const [max = NOWHERE, current = NOWHERE] = cgroupPaths('pids', [['pids.max', 'pids.current']])
  const processes = softOf('Max processes')
  const user = process.getuid?.() ?? 0
  const isFree = processes > MANY_PROCESSES || (user === 0 && ALL_USERS.test(textOf('/proc/self/uid_map')))
  return {
    processes: isFree ? Infinity : processes,
    user,
    addressSpaceMb: softOf('Max address space') / BYTES_PER_MB,
    pids: numberIn(textOf(max)) ?? Infinity,
    pidsFile: current
  }
}

/** @returns {Room} */
function readRoom () {
  const { processes, user, addressSpaceMb, pids, pidsFile } = limits ??= readLimits()
  const usedMb = addressSpaceMb === Infinity ? 0 : fieldOf(textOf('/proc/self/status'), 'VmSize') / 1024
  return {
    threads: Math.min(
      processes === Infinity ? Infinity : processes - countThreads(user),
      pids === Infinity ? Infinity : pids - (numberIn(textOf(pidsFile)) ?? 0)
    ),
    addressSpaceMb: addressSpaceMb - usedMb
  }
}

/**
 * Why starting a thread might end the process, null if it would not. V8's profiler and libuv's pool abort the process
 * if they get no thread, and V8 aborts it if it gets no memory for one.
 * @param {number} threads needed, with those that the application may need
 * @param {{ addressSpaceMb?: number, room?: () => Room }} [needs]
 */
exports.lackOfRoom = (threads, { addressSpaceMb = ADDRESS_SPACE_MB, room = readRoom } = {}) => {
  try {
    const left = room()
    if (left.threads < threads) {
      return `only ${Math.max(0, left.threads)} more threads can be started (ulimit -u, or the pids limit of a ` +
        'container)'
    }
    if (left.addressSpaceMb >= addressSpaceMb) return null
    return `only ${Math.max(0, Math.round(left.addressSpaceMb))} MB of address space are left (ulimit -v)`
  } catch {
    // The application has replaced a function that this needs.
    return null
  }
}

/** Threads that a profile needs: V8's own, and the four that libuv's pool may need later. */
const PROFILE_THREADS = 5
/** V8's thread takes a stack and a heap of the C library. */
const PROFILE_MB = 128

/** Why starting V8's CPU profile might end the process, null if it would not. */
exports.lackOfProfileRoom = () => exports.lackOfRoom(PROFILE_THREADS, { addressSpaceMb: PROFILE_MB })
