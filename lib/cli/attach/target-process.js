'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { ownership, startedIn } = require('../../util/processes')

const NODE = /^(node|nodejs|iojs)(\d+)?(\.exe)?$/i
/** In the kernel's signal masks. */
const SIGUSR1_BIT = BigInt(require('node:os').constants.signals.SIGUSR1 ?? 10) - 1n
const LOOPBACK = /^(127(\.\d+){3}|localhost|::1|\[::1\])$/
/** Node.js accepts underscores for dashes, and a port after a space. */
const INSPECT = /--(?:inspect(?:[-_](?:brk|wait))?=|(?:inspect|debug)[-_]port[=\s])(\S+)/g
/** `Sat Nov 21 10:00:00 2026` */
const LSTART_LENGTH = 24
const OTHER_USER = 'it belongs to another user: run loopwatch as that user'
const GUARDED = 'it belongs to the same user, but the kernel does not allow looking into it: it has more privileges ' +
  'than loopwatch, is in another namespace, or is guarded against ptrace'

/**
 * @typedef {{ exe: string, status: string, flags: string, isSameNetwork: boolean, isSameFiles: boolean,
 *   started: string }} Facts what the kernel says about a process. status: text of /proc/<pid>/status; flags: arguments
 *   and NODE_OPTIONS; isSameFiles: it sees our file system; started: with the id, this names one process for good
 * @typedef {{ pid: number, started: string, isSameFiles: boolean, takesUsualPort: boolean }} Target
 *   a process to attach to. takesUsualPort: its flags name no other port for its inspector
 */

/** Why SIGUSR1 must not be sent, or null: it ends a process that does not expect it. @param {Facts} facts */
function objection ({ exe, status, flags, isSameNetwork }) {
  const name = path.basename(exe.replace(/ \(deleted\)$/, ''))
  if (!NODE.test(name)) return `it runs ${name}, not Node.js`
  const state = /^State:\s+(\w)/m.exec(status)?.[1]
  if (state === 'Z') return 'it has ended'
  if (state === 'T' || state === 't') return 'it is stopped (SIGSTOP, or a debugger): kill -CONT it first'
  const caught = /^SigCgt:\s+([\da-f]+)/m.exec(status)?.[1]
  if (caught !== undefined && (BigInt(`0x${caught}`) >> SIGUSR1_BIT & 1n) === 0n) {
    return 'it does not handle SIGUSR1, which would end it (--disable-sigusr1, or a Node.js without inspector)'
  }
  if (!isSameNetwork) {
    return 'it is in a container or another network namespace, where its inspector cannot be reached from here: run ' +
      'loopwatch attach inside it (docker exec, kubectl exec)'
  }
  const open = [...flags.matchAll(INSPECT)].map(([, value]) => value.replace(/:?\d*$/, ''))
    .find((host) => host !== '' && !LOOPBACK.test(host))
  if (open !== undefined) return `it would open its inspector on ${open}, where others could run code in it`
  return null
}

/** @param {number} pid @param {string} reason */
const refusal = (pid, reason) => codedError('LOOPWATCH_ERR_ATTACH', pid, reason)

/** @param {number} pid @returns {Target} @throws LOOPWATCH_ERR_ATTACH if we cannot attach to the process */
function checkProcess (pid) {
  const refuse = (/** @type {string} */ reason) => refusal(pid, reason)
  if (pid === process.pid) throw refuse('that is loopwatch itself')
  const whose = ownership(pid)
  if (whose !== 'own') throw refuse(whose === 'foreign' ? guard(pid) : 'there is no such process')
  if (process.platform !== 'linux') {
    const { name, started } = process.platform === 'win32' ? { name: 'node', started: '' } : askPs(pid)
    if (!NODE.test(path.basename(name))) throw refuse(`it runs ${name}, not Node.js`)
    return { pid, started, isSameFiles: true, takesUsualPort: true }
  }
  let facts
  try {
    facts = readFacts(pid)
  } catch (error) {
    const reason = error.code === 'EACCES' || error.code === 'EPERM' ? guard(pid) : 'it has ended'
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_ATTACH', pid, reason)
  }
  const reason = objection(facts)
  if (reason !== null) throw refuse(reason)
  return {
    pid,
    started: facts.started,
    isSameFiles: facts.isSameFiles,
    takesUsualPort: facts.flags.search(INSPECT) === -1
  }
}

/** Throws if another process has the id now: the signal would end it. @param {Target} target */
exports.checkAgain = ({ pid, started }) => {
  if (checkProcess(pid).started !== started) throw refusal(pid, 'it has ended, and another process has its id')
}

/** Why we may not inspect or signal a process. @param {number} pid */
function guard (pid) {
  try {
    // Everybody may read this file.
    const user = /^Uid:\s+\d+\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(user) === process.geteuid?.() ? GUARDED : OTHER_USER
  } catch {
    return OTHER_USER
  }
}

/** @param {number} pid */
function askPs (pid) {
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-o', 'comm=', '-p', String(pid)],
    { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } })
  return { started: stdout.slice(0, LSTART_LENGTH), name: stdout.slice(LSTART_LENGTH).trim() }
}

/** Whether a process is where we are (Linux). @param {number} pid @param {'net' | 'mnt'} namespace */
const isSameNamespace = (pid, namespace) =>
  fs.readlinkSync(`/proc/${pid}/ns/${namespace}`) === fs.readlinkSync(`/proc/self/ns/${namespace}`)

/** @param {number} pid @returns {Facts} */
function readFacts (pid) {
  const read = (/** @type {string} */ name) => fs.readFileSync(`/proc/${pid}/${name}`, 'utf8')
  const options = read('environ').split('\0').find((line) => line.startsWith('NODE_OPTIONS=')) ?? ''
  return {
    exe: fs.readlinkSync(`/proc/${pid}/exe`),
    status: read('status'),
    flags: `${read('cmdline').replaceAll('\0', ' ')} ${options}`,
    isSameNetwork: isSameNamespace(pid, 'net'),
    isSameFiles: isSameNamespace(pid, 'mnt'),
    started: startedIn(read('stat'))
  }
}

exports.checkProcess = checkProcess
exports.guard = guard
exports.isSameNamespace = isSameNamespace
exports.objection = objection
