'use strict'

const fs = require('node:fs')

/**
 * Paths of files of this process's cgroup: of the innermost that it can see and that has all files of one list.
 * @param {string} controller of version 1 @param {string[][]} lists of names @returns {string[]} none if there is none
 */
exports.cgroupPaths = (controller, lists) => {
  try {
    const folders = fs.readFileSync('/proc/self/cgroup', 'utf8').split('\n').flatMap((line) => {
      const [, controllers, folder] = /^[0-9]+:([^:]*):(.*)$/.exec(line) ?? []
      if (controllers === '') return [folder, '']
      if (!controllers?.split(',').includes(controller)) return []
      return [`/${controllers}${folder}`, `/${controller}${folder}`, `/${controllers}`, `/${controller}`]
    })
    const all = folders.flatMap((folder) =>
      lists.map((names) => names.map((name) => `/sys/fs/cgroup${folder}/${name}`)))
    return all.find((paths) => paths.every((path) => fs.existsSync(path))) ?? []
  } catch {
    // Not Linux, or /proc is hidden.
    return []
  }
}

/** A number in a file of a cgroup; null for `max`, which means no limit. @param {string | null | undefined} text */
exports.numberIn = (text) => {
  const number = Number.parseInt(text ?? '', 10)
  return Number.isNaN(number) ? null : number
}
