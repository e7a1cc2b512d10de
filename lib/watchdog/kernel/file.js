'use strict'

const fs = require('node:fs')
const { openFile } = require('../../util/files')

/** A file of /proc or cgroupfs that stays open and is read from its start each time: 1 us, no allocation of paths. */
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

/** The fields that are used of a line of /proc/<pid>/stat; times are in ticks. @param {string} line */
exports.statOf = (line) => {
  // The thread's name is in brackets and may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [majorFaults, user, system, started, processor] = [9, 11, 12, 19, 36].map((field) => Number(fields[field]))
  return { majorFaults, user, system, started, processor }
}

/** In place of a file that is not there. */
exports.NOWHERE = '/nonexistent'

/** The threads of the process, a folder each. */
exports.TASKS = '/proc/self/task'

exports.KernelFile = KernelFile
