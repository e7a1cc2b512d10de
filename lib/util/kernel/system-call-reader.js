'use strict'

const fs = require('node:fs')
const { KernelFile, textOf } = require('./file')
const { callOf, callText, childText, cut, descriptorText, lockText, pathOf } = require('./system-call')
const { polledOf, polledText, socketTables, socketText, POLLFD_BYTES } = require('./system-call')
const { openFile } = require('../files')
const { LOCK_WAIT } = require('../place-text')

/**
 * @import { Pid } from '../cgroup'
 * @import { Call } from './system-call'
 */

/** Longest path read from memory: twice the longest that is shown. */
const PATH_BYTES = 512
/** Most descriptors of a poll() that are read. */
const POLLED = 16
/** Limit for a table of sockets: 3000 of them, 7 ms. The kernel takes 2 ms even for a short table. */
const SOCKETS_BYTES = 512 * 1024
/** TCP_ESTABLISHED, as in /proc/net/tcp. */
const ESTABLISHED = '01'
/** Generations of child processes that are searched: npm, a shell, Node.js, another shell and its command. */
const DESCENDANTS = 5
/** P_PID: waitid() waits for the process of this id. */
const BY_PID = 1

/** Calls whose target may change during the call, or between two that look the same: a shell starts other commands. */
const CHANGING = new Set(['epoll', 'child', 'childById', 'database'])

/** @typedef {{ call: string, target: string | null, text: string }} Wait of a sleeping thread */

/**
 * Reads from /proc the system call in which the main thread sleeps, and its target. This needs no privileges for the
 * own process. Null outside Linux, if /proc is hidden, or if this process may not trace the other one.
 */
class SystemCallReader {
  /** Opened when a block is first looked at. @type {KernelFile | null} */
  #file = null
  #proc
  #folder
  #arch
  #last = { text: '', wait: /** @type {Wait | null} */ (null) }

  /** @param {string} [arch] @param {Pid} [pid] */
  constructor (arch = process.arch, pid = 'self') {
    this.#arch = arch
    this.#proc = `/proc/${pid}`
    this.#folder = `${this.#proc}/task/${pid === 'self' ? process.pid : pid}`
  }

  /** @returns {Wait | null} */
  read () {
    const { text, call } = this.#now()
    if (call === null || text === null) return null
    if (text !== this.#last.text || CHANGING.has(call.waited)) this.#last = { text, wait: this.#waitOf(call, text) }
    return this.#last.wait
  }

  /** The name of the call in which the thread sleeps; empty if it runs, null if that is unknown. */
  name () {
    const { text, call } = this.#now()
    return call?.name ?? (text?.startsWith('running') ? '' : null)
  }

  #now () {
    if (process.platform !== 'linux') return { text: null, call: null }
    this.#file ??= new KernelFile(`${this.#folder}/syscall`)
    const text = this.#file.read()
    return { text, call: callOf(text, this.#arch) }
  }

  /** @param {Call} call @param {string} text from which it was read */
  #waitOf (call, text) {
    if (call.waited === 'database') {
      // SQLite tries again and again until its busy timeout ends. Hardly anything else sleeps for a set time.
      const { lockedDatabase } = require('./sqlite-lock')
      const target = cut(lockedDatabase(this.#proc) ?? '') || null
      return { call: call.name, target, text: target === null ? call.name : `${LOCK_WAIT}: ${target}` }
    }
    const before = this.#target(call)
    // If the call has returned since, its memory and its descriptor may have changed.
    const target = this.#file?.read() === text ? before : null
    return { call: call.name, target, text: callText(call, target) }
  }

  /** @param {Call} call @returns {string | null} */
  #target ({ waited, args }) {
    try {
      if (waited === 'descriptor') return descriptorOf(this.#proc, args[0])
      if (waited === 'path') return pathOf(memoryAt(this.#proc, args[0], PATH_BYTES))
      if (waited === 'pathAt') return pathOf(memoryAt(this.#proc, args[1], PATH_BYTES))
      if (waited === 'polled') return polled(this.#proc, args)
      if (waited === 'epoll') return childOf(descendants(this.#folder))
      if (waited === 'child') return child(args[0])
      if (waited === 'childById') return args[0] === BY_PID ? child(args[1]) : 'a child process'
      return waited === 'lock' ? lockText(args) : null
    } catch {
      // The descriptor is closed or the memory is unreadable.
      return null
    }
  }

  close () {
    this.#file?.close()
  }
}

/** @param {string} proc @param {number[]} args of poll() */
function polled (proc, [address, count]) {
  const fds = polledOf(memoryAt(proc, address, Math.min(count, POLLED) * POLLFD_BYTES))
  return fds.length === 0 ? null : polledText(fds.map((fd) => descriptorOf(proc, fd)))
}

/** @param {string} proc folder of the process @param {number} fd */
function descriptorOf (proc, fd) {
  return descriptorText(fd, fs.readlinkSync(`${proc}/fd/${fd}`), (inode) => socketOf(proc, inode))
}

/** The last socket: a thread often waits for the same one again, such as that of a name server. */
let lastSocket = { inode: '', text: '' }

/** @param {string} proc @param {string} inode */
function socketOf (proc, inode) {
  if (inode === lastSocket.inode) return lastSocket.text
  let text = null
  for (const table of socketTables) text ??= socketText(inode, table, socketTable(proc, table))
  lastSocket = { inode, text: text ?? 'a socket' }
  return lastSocket.text
}

/** The target of wait4(), which may be any child. @param {number} id */
function child (id) {
  const pid = id | 0
  return pid <= 0 ? 'a child process' : childOf([pid, ...descendants(taskOf(pid))])
}

/** @param {number[]} pids a child and its descendants @returns {string | null} */
function childOf (pids) {
  const [first, last] = [pids[0], pids.at(-1)].map((pid) => textOf(`/proc/${pid}/comm`).trim() || null)
  return pids.length === 0 ? null : childText(pids[0], first, last)
}

/** The main thread of a process. @param {number} pid */
const taskOf = (pid) => `/proc/${pid}/task/${pid}`

/**
 * The child that a thread started last, that child's last child, and so on: a shell runs commands in children of its
 * own. spawnSync() waits in its own loop for the child it started last. @param {string} task folder of the thread
 */
function descendants (task) {
  /** @type {number[]} */
  const pids = []
  for (let folder = task; pids.length < DESCENDANTS; folder = taskOf(pids[pids.length - 1])) {
    const pid = Number(textOf(`${folder}/children`).trim().split(' ').at(-1))
    if (pid === 0) break
    pids.push(pid)
  }
  return pids
}

/** @param {number} pid */
exports.descendantsOf = (pid) => descendants(taskOf(pid))

/** A table of sockets, cut at the limit; empty if it cannot be read. @param {string} proc @param {string} table */
function socketTable (proc, table) {
  try {
    return readAt(`${proc}/net/${table}`, 0, SOCKETS_BYTES).toString('latin1')
  } catch {
    return ''
  }
}

/** Memory of the process, read by the kernel: a stale address is an error, not a crash. */
const memoryAt = (/** @type {string} */ proc, /** @type {number} */ address, /** @type {number} */ bytes) =>
  readAt(`${proc}/mem`, address, bytes)

/** @param {string} file @param {number} position @param {number} bytes */
function readAt (file, position, bytes) {
  const buffer = Buffer.alloc(bytes)
  const fd = openFile(file, 'r')
  try {
    let length = 0
    // Files of /proc are read in parts of a few kilobytes.
    for (let got = 1; got > 0 && length < bytes; length += got) {
      got = fs.readSync(fd, buffer, length, bytes - length, position + length)
    }
    return buffer.subarray(0, length)
  } finally {
    fs.closeSync(fd)
  }
}

/** Whether somebody is connected to a port of this process; null if that is unknown. @param {number} port */
exports.hasClient = (port) => {
  const tables = ['tcp', 'tcp6'].map((table) => socketTable('/proc/self', table))
  const row = new RegExp(`:${port.toString(16).padStart(4, '0')} [0-9A-F]+:[0-9A-F]{4} ${ESTABLISHED} `, 'i')
  if (tables.some((text) => row.test(text))) return true
  return tables.every((text) => text === '' || text.length === SOCKETS_BYTES) ? null : false
}

exports.SystemCallReader = SystemCallReader
