'use strict'

const fs = require('node:fs')
const { KernelFile } = require('./file')
const { callOf, callText, childText, descriptorText, lockText, pathOf } = require('./system-call')
const { polledOf, polledText, socketTables, socketText, POLLFD_BYTES } = require('./system-call')
const { openFile } = require('../../util/files')

/** @import { Call } from './system-call' */

/** Longest path read from memory: twice the longest that is shown. */
const PATH_BYTES = 512
/** Most descriptors of a poll() that are read. */
const POLLED = 16
/** Limit for a table of sockets: 3000 of them, 7 ms. The kernel takes 2 ms even for a short table. */
const SOCKETS_BYTES = 512 * 1024
/** TCP_ESTABLISHED, as in /proc/net/tcp. */
const ESTABLISHED = '01'
/** P_PID: waitid() waits for the process of this id. */
const BY_PID = 1

/** @typedef {{ call: string, target: string | null, text: string }} Wait what a thread sleeps in */

/**
 * Reads from /proc in which system call the main thread sleeps, and what it waits for. It needs no privileges, because
 * it reads its own process. Null outside Linux, if /proc is hidden, or if the process must not be dumped.
 */
class SystemCallReader {
  /** Opened when a block is first looked at. @type {KernelFile | null} */
  #file = null
  #folder
  #arch
  #last = { text: '', wait: /** @type {Wait | null} */ (null) }

  /** @param {string} [arch] @param {number} [tid] of the thread */
  constructor (arch = process.arch, tid = process.pid) {
    this.#arch = arch
    this.#folder = `/proc/self/task/${tid}`
  }

  /** @returns {Wait | null} */
  read () {
    if (process.platform !== 'linux') return null
    this.#file ??= new KernelFile(`${this.#folder}/syscall`)
    const text = this.#file.read()
    const call = callOf(text, this.#arch)
    if (call === null || text === null) return null
    // Still in the same call, so it waits for the same thing.
    if (text !== this.#last.text) this.#last = { text, wait: this.#waitOf(call, text) }
    return this.#last.wait
  }

  /** The name of the call it sleeps in, without what it waits for; empty if it runs, null if that is unknown. */
  name () {
    if (process.platform !== 'linux') return null
    this.#file ??= new KernelFile(`${this.#folder}/syscall`)
    const text = this.#file.read()
    return callOf(text, this.#arch)?.name ?? (text?.startsWith('running') ? '' : null)
  }

  /** @param {Call} call @param {string} text it was read from */
  #waitOf (call, text) {
    const read = this.#target(call)
    // If the call has returned since, its memory and its descriptor may have changed.
    const target = this.#file?.read() === text ? read : null
    return { call: call.name, target, text: callText(call, target) }
  }

  /** @param {Call} call @returns {string | null} */
  #target ({ waited, args }) {
    try {
      if (waited === 'descriptor') return descriptorOf(args[0])
      if (waited === 'path') return pathOf(memoryAt(args[0], PATH_BYTES))
      if (waited === 'pathAt') return pathOf(memoryAt(args[1], PATH_BYTES))
      if (waited === 'polled') return polled(args)
      if (waited === 'epoll') return this.#newestChild()
      if (waited === 'child') return child(args[0])
      if (waited === 'childById') return args[0] === BY_PID ? child(args[1]) : 'a child process'
      return waited === 'lock' ? lockText(args) : null
    } catch {
      // The descriptor is closed or the memory is unreadable: only the call is known.
      return null
    }
  }

  /** spawnSync() waits in its own loop for the child it started last. */
  #newestChild () {
    const pids = read(`${this.#folder}/children`).trim().split(' ').map(Number)
    return pids.at(-1) ? child(/** @type {number} */ (pids.at(-1))) : null
  }

  close () {
    this.#file?.close()
  }
}

/** @param {number[]} args of poll() */
function polled ([address, count]) {
  const fds = polledOf(memoryAt(address, Math.min(count, POLLED) * POLLFD_BYTES))
  return fds.length === 0 ? null : polledText(fds.map(descriptorOf))
}

/** @param {number} fd */
function descriptorOf (fd) {
  return descriptorText(fd, fs.readlinkSync(`/proc/self/fd/${fd}`), socketOf)
}

/** A thread often waits for the same socket again, for example that of a name server. */
let lastSocket = { inode: '', text: '' }

/** @param {string} inode */
function socketOf (inode) {
  if (inode !== lastSocket.inode) lastSocket = { inode, text: findSocket(inode) }
  return lastSocket.text
}

/** @param {string} inode */
function findSocket (inode) {
  for (const table of socketTables) {
    const text = read(`/proc/self/net/${table}`, SOCKETS_BYTES)
    const found = text === '' ? null : socketText(inode, table, text)
    if (found !== null) return found
  }
  return 'a socket'
}

/** wait4() can wait for any child. @param {number} id */
function child (id) {
  const pid = id | 0
  if (pid <= 0) return 'a child process'
  return childText(pid, read(`/proc/${pid}/comm`).trim() || null)
}

/** The start of a file, empty if it cannot be read. @param {string} file @param {number} [bytes] */
function read (file, bytes = 4096) {
  try {
    return readAt(file, 0, bytes).toString('latin1')
  } catch {
    return ''
  }
}

/** Memory of this process, read by the kernel: a stale address is an error, not a crash. */
const memoryAt = (/** @type {number} */ address, /** @type {number} */ bytes) => readAt('/proc/self/mem', address, bytes)

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

/**
 * Whether somebody is connected to a port of this process; null if that is unknown.
 * @param {number} port
 */
exports.hasClient = (port) => {
  const tables = ['tcp', 'tcp6'].map((table) => read(`/proc/self/net/${table}`, SOCKETS_BYTES))
  const row = new RegExp(`:${port.toString(16).padStart(4, '0')} [0-9A-F]+:[0-9A-F]{4} ${ESTABLISHED} `, 'i')
  if (tables.some((text) => row.test(text))) return true
  return tables.every((text) => text === '' || text.length === SOCKETS_BYTES) ? null : false
}

exports.SystemCallReader = SystemCallReader
