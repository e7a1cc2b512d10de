'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const process = require('./process')

const STDERR = 2

/**
 * Makes a folder and those above it. The recursive mkdir of Node.js never returns if a file system denies that an
 * existing folder is there, as /proc does (20.20, 26.10).
 * @param {string} dir @param {number} [mode] of each that is made
 */
function makeFolder (dir, mode) {
  try {
    fs.mkdirSync(dir, mode)
  } catch (error) {
    if (error.code === 'EEXIST' && fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
    const above = path.dirname(dir)
    if (error.code !== 'ENOENT' || above === dir || fs.existsSync(above)) throw error
    makeFolder(above, mode)
    // Another process may have made it meanwhile.
    makeFolder(dir, mode)
  }
}

/**
 * Opens a file, never as stdin, stdout or stderr: if these are closed, the application's output must not get into it.
 * @param {string} file @param {string | number} flags @param {number} [mode]
 */
function openFile (file, flags, mode) {
  /** @type {number[]} */
  const low = []
  try {
    for (;;) {
      const fd = fs.openSync(file, flags, mode)
      if (fd > STDERR) return fd
      low.push(fd)
    }
  } finally {
    low.forEach((fd) => fs.closeSync(fd))
  }
}

/**
 * Occupies the descriptors of stdin, stdout and stderr that an application has closed, as Node.js itself does at its
 * start. A new thread's event loop opens some descriptors. If one of them is at most stderr's when the thread ends,
 * libuv aborts the process (assertion `fd > STDERR_FILENO`; 20.20, 24.21, 26.10). Hold them as long as the thread
 * exists: freed earlier, the next socket of the application or of ours would get one, and Node.js would throw
 * (`open EEXIST`, out of process.stderr).
 * @returns {() => void} frees them
 */
function holdStdio () {
  /** @type {number[]} */
  const held = []
  if (process.platform === 'win32') return () => {}
  try {
    for (let fd = -1; fd < STDERR && [0, 1, STDERR].some(isClosed);) {
      fd = fs.openSync(os.devNull, 'r+')
      held.push(fd)
    }
  } catch {
    // Too many open files, or no permission: nothing can be held.
  }
  return () => { held.splice(0).forEach(letGo) }
}

/** @param {number} fd */
function isClosed (fd) {
  try {
    fs.fstatSync(fd)
    return false
  } catch (error) {
    return error.code === 'EBADF'
  }
}

/** Closes a descriptor, if it is still ours. @param {number} fd */
function letGo (fd) {
  try {
    if (fs.fstatSync(fd).rdev === fs.statSync(os.devNull).rdev) fs.closeSync(fd)
  } catch {
    // The application has closed it.
  }
}

/** A file of the kernel, empty if it cannot be read. @param {string} file */
exports.textOf = (file) => {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** A larger file is not read, unless the caller gives another limit. */
const SOURCE_BYTES = 16 * 1024 * 1024

/** The text; null if the file is larger or cannot be read at once. @param {string} file @param {number} [mostBytes] */
exports.readSource = (file, mostBytes = SOURCE_BYTES) => {
  try {
    // Reading a pipe or a device could wait for ever.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= mostBytes ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

exports.makeFolder = makeFolder
exports.openFile = openFile
exports.holdStdio = holdStdio
