'use strict'

const fs = require('node:fs')

/**
 * Whether a path leads to an open file. False only where it surely does not: a path that cannot be
 * looked at, and numbers of 0, which Windows may give, tell nothing.
 * @param {number} fd
 * @param {string} path
 */
exports.isSameFile = (fd, path) => {
  const own = fs.fstatSync(fd, { bigint: true })
  try {
    const { ino, dev } = fs.statSync(path, { bigint: true })
    return ino === 0n || own.ino === 0n || (ino === own.ino && dev === own.dev)
  } catch (error) {
    return error.code !== 'ENOENT' && error.code !== 'ENOTDIR'
  }
}
