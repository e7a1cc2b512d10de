'use strict'

const fs = require('node:fs')
const { openFile, textOf } = require('../files')
const { NS_PER_MS } = require('../units')

/** A file of /proc or cgroupfs that stays open and is read from its start each time, in 1 us. */
class KernelFile {
  /** @type {number | null} */
  #fd = null
  #buffer

  /** @param {string} path @param {number} [bytes] read from it */
  constructor (path, bytes = 4096) {
    this.#buffer = Buffer.alloc(bytes)
    try {
      this.#fd = openFile(path, 'r')
    } catch {
      // Not Linux, not mounted or not permitted: read() returns null.
    }
  }

  read () {
    if (this.#fd === null) return null
    try {
      return this.#buffer.toString('latin1', 0, fs.readSync(this.#fd, this.#buffer, 0, this.#buffer.length, 0))
    } catch {
      return null
    }
  }

  close () {
    if (this.#fd !== null) fs.closeSync(this.#fd)
    this.#fd = null
  }
}

/** Names in a folder, none if it cannot be read. @param {string} folder */
exports.namesIn = (folder) => {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** The text of a link, empty if it cannot be read: a descriptor may be closed meanwhile. @param {string} file */
exports.linkOf = (file) => {
  try {
    return fs.readlinkSync(file)
  } catch {
    return ''
  }
}

/** Fields of a line of /proc/<pid>/stat, times in ticks. @param {string} line */
exports.statOf = (line) => {
  // The thread's name stands in brackets and may hold spaces and brackets.
  const end = line.lastIndexOf(')')
  const fields = line.slice(end + 2).split(' ')
  const name = line.slice(line.indexOf('(') + 1, end)
  const [majorFaults, user, system, started, processor] = [9, 11, 12, 19, 36].map((field) => Number(fields[field]))
  return { name, state: fields[0], majorFaults, user, system, started, processor }
}

/**
 * CPU time of a thread, and its time in the run queue.
 * @param {string | null} schedstat @returns {{ cpuMs: number | null, runQueueMs: number | null }}
 */
exports.schedIn = (schedstat) => {
  const [cpuNs, runQueueNs] = (schedstat ?? '').split(' ').map(Number)
  // A kernel without CONFIG_SCHED_INFO prints zeros.
  if (!(cpuNs > 0)) return { cpuMs: null, runQueueMs: null }
  return { cpuMs: cpuNs / NS_PER_MS, runQueueMs: runQueueNs / NS_PER_MS }
}

/** The threads of the process, a folder each. */
exports.TASKS = '/proc/self/task'

exports.textOf = textOf
exports.KernelFile = KernelFile
