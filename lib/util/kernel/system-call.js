'use strict'

const { callsOf } = require('../../tables/system-calls')
const { parseAddress } = require('../socket-address')

/** @import { Waited } from '../../tables/system-calls' */

/** Longest name in a text, which has to fit into a line of the log next to the stack. */
const NAME_CHARS = 160
/** Descriptors of a poll() that are named. */
const POLLED = 3
const POLLFD_BYTES = 8
const STDERR = 2
/** Value of a locked mutex of the C library for which somebody waits. */
const MUTEX_WAITED = 2
/** FUTEX_WAIT without its flags. */
const FUTEX_WAIT = 0
const FUTEX_COMMAND = 0x7f

/**
 * @typedef {{ name: string, waited: Waited, preposition: string, args: number[] }} Call
 */

/**
 * The system call in which a thread sleeps, from /proc/<pid>/task/<tid>/syscall: number and six arguments, or
 * `running`. Null if the thread does not sleep in a call, or the processor is not in the table.
 * @param {string | null} text @param {string} arch as in process.arch @returns {Call | null}
 */
exports.callOf = (text, arch) => {
  const calls = callsOf[arch]
  const [number, ...args] = (text ?? '').trim().split(' ').map(Number)
  if (calls === undefined || text === null || args.length === 0 || !Number.isInteger(number)) return null
  if (number < 0) return { name: 'page fault', waited: 'nothing', preposition: '', args }
  const row = calls.get(number) ?? { name: `system call ${number}`, waited: 'nothing', preposition: '' }
  return { ...row, args: args.slice(0, 6) }
}

/** The text for a call. @param {Pick<Call, 'name' | 'preposition'>} call @param {string | null} target */
exports.callText = ({ name, preposition }, target) => {
  if (target === null) return name
  return preposition === '' ? `${name} (${target})` : `${name} ${preposition} ${target}`
}

/** The target of futex(), whose arguments distinguish a mutex from the rest. @param {number[]} args */
exports.lockText = ([, operation, value]) =>
  (operation & FUTEX_COMMAND) === FUTEX_WAIT && value === MUTEX_WAITED ? 'a lock' : 'Atomics.wait or a native wait'

/** @param {number} fd @param {string} link @param {(inode: string) => string} socketText names a socket */
exports.descriptorText = (fd, link, socketText) => {
  const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1]
  const kind = link.replace(/:\[\d+\]$/, '').replace(/^anon_inode:\[?(.*?)\]?$/, '$1')
  const name = inode === undefined ? kind : socketText(inode)
  // The number distinguishes stdout from stderr, and a pipe has nothing else.
  return fd > STDERR && (inode !== undefined || link.startsWith('/'))
    ? cut(name)
    : `fd ${fd} (${cut(name.replace(/^a /, ''))})`
}

/** The descriptors of a poll(), of which some are named. @param {string[]} names */
exports.polledText = (names) => {
  const more = names.length - POLLED
  return `${names.slice(0, POLLED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The descriptors in the memory of a poll(). @param {Buffer} bytes */
exports.polledOf = (bytes) => {
  const count = Math.floor(bytes.length / POLLFD_BYTES)
  return Array.from({ length: count }, (_, i) => bytes.readInt32LE(i * POLLFD_BYTES)).filter((fd) => fd >= 0)
}
exports.POLLFD_BYTES = POLLFD_BYTES

/** Printable UTF-8; spaces only in an absolute path, since most other texts have some. */
const PATH = /^(?:\/[^\p{C}\ufffd]*|[^\p{C}\ufffd\s/][^\p{C}\ufffd\s]*)$/u

/**
 * A path in memory, up to its zero byte; null for text that cannot be one. The file is not checked: its file system may
 * hang, and be the reason of the block. @param {Buffer} bytes
 */
exports.pathOf = (bytes) => {
  const end = bytes.indexOf(0)
  const text = bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
  return PATH.test(text) ? cut(text) : null
}

/**
 * @param {number} pid @param {string | null} name of the program, null if unknown
 * @param {string | null} [running] the program that it waits for: a shell's command
 */
exports.childText = (pid, name, running = name) => {
  if (name === null) return `child process ${pid}`
  return `child process ${pid} (${cut(name)}${running === null || running === name ? '' : `, running ${cut(running)}`})`
}

/** The tables in which a socket is looked for, by their names in /proc/net. */
const SOCKETS = /** @type {const} */ ({ tcp: 'a socket', tcp6: 'a socket', udp: 'a UDP socket', udp6: 'a UDP socket' })
exports.socketTables = [...Object.keys(SOCKETS), 'unix']

/** Null if the table has no such row. @param {string} inode @param {string} table @param {string} text */
exports.socketText = (inode, table, text) => {
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/))
  const row = rows.find((cells) => cells[table === 'unix' ? 6 : 9] === inode)
  if (row === undefined) return null
  if (table === 'unix') return row[7] === undefined ? 'a Unix socket' : `a Unix socket ${row[7]}`
  const name = SOCKETS[/** @type {keyof typeof SOCKETS} */ (table)]
  const [local, remote] = [row[1], row[2]].map(parseAddress)
  // A socket that is connected to nobody listens, or sends to many.
  return remote.port === 0 ? `${name} at ${local.host}:${local.port}` : `${name} to ${remote.host}:${remote.port}`
}

/** Cuts the middle out. @param {string} name */
function cut (name) {
  return name.length <= NAME_CHARS ? name : `${name.slice(0, NAME_CHARS / 2)}…${name.slice(-NAME_CHARS / 2)}`
}

exports.cut = cut
