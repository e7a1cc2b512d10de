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

/**
 * Paths of files of this process's cgroup: of the innermost that it can see and that has all files of one list.
 * @param {string} controller of version 1 @param {string[][]} lists of names @returns {string[]} none if there is none
 */
exports.cgroupPaths = (controller, lists) => {
  try {
    const folders = fs.readFileSync('/proc/self/cgroup', 'utf8').split('\n').flatMap((line) => {
      const [, controllers, folder] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
      if (controllers === '') return [folder, '']
      if (!controllers?.split(',').includes(controller)) return []
      return [`/${controllers}${folder}`, `/${controller}${folder}`, `/${controllers}`, `/${controller}`]
    })
    const all = folders.flatMap((folder) => lists.map((names) => names.map((name) => `/sys/fs/cgroup${folder}/${name}`)))
    return all.find((paths) => paths.every((path) => fs.existsSync(path))) ?? []
  } catch {
    // Not Linux, or /proc is hidden.
    return []
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
