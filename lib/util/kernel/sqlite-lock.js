'use strict'

const { linkOf, namesIn, textOf } = require('./file')

/**
 * A lock for writing of SQLite in /proc/locks: the inode of a database, or of its shared memory in WAL mode. The bytes
 * are those of os_unix.c of SQLite.
 */
const WRITE_LOCK = /POSIX +\w+ +WRITE +-?\d+ \w+:\w+:(\d+) (?:107374182[4-6]|(12[0-7])) /g
const SHARED_MEMORY = /-shm$/
const INODE = /^ino:\s*(\d+)/m
/** Descriptors of the process that are searched: each takes 15 us, and a database is mostly opened early. */
const DESCRIPTORS = 1000

/**
 * The SQLite database that a process has open while a connection, of this or another process, holds its lock for
 * writing; several are joined by `or`. Null without any, or before Linux 5.14. A database is never opened here: closing
 * it would release the application's locks. @param {string} proc folder of the process
 */
exports.lockedDatabase = (proc) => {
  const locks = new Map([...textOf('/proc/locks').matchAll(WRITE_LOCK)].map(([, inode, ofShared]) =>
    [inode, ofShared !== undefined]))
  if (locks.size === 0) return null
  const files = namesIn(`${proc}/fd`).slice(0, DESCRIPTORS).flatMap((fd) => {
    const isShared = locks.get(INODE.exec(textOf(`${proc}/fdinfo/${fd}`))?.[1] ?? '')
    const file = isShared === undefined ? '' : linkOf(`${proc}/fd/${fd}`)
    return file !== '' && SHARED_MEMORY.test(file) === isShared ? [file.replace(SHARED_MEMORY, '')] : []
  })
  return [...new Set(files)].sort().join(' or ') || null
}
