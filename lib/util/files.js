'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const process = require('./process')

const STDERR = 2

/**
 * Makes a folder and those above it. The recursive mkdir of Node.js never returns on a file system such as /proc that
 * denies an existing folder (20.20, 26.10).
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
 * Opens a file, never as stdin, stdout or stderr: if these are closed, the application's output would get into it.
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
 * start, for as long as a thread of ours exists. The thread's event loop would otherwise open one of them, and libuv
 * aborts the process when that thread ends (assertion `fd > STDERR_FILENO`; 20.20, 24.21, 26.10).
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

/** @param {string} file @param {'w' | 'a'} flag @param {string | Buffer} contents */
exports.writeTo = (file, flag, contents) => {
  const fd = openFile(file, flag, 0o640)
  try {
    fs.writeFileSync(fd, contents)
  } finally {
    fs.closeSync(fd)
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

/** Size up to which a source is read by default. */
const SOURCE_BYTES = 16 * 1024 * 1024

/** The text; null if the file is larger or cannot be read at once. @param {string} file @param {number} [mostBytes] */
exports.readSource = (file, mostBytes = SOURCE_BYTES) => {
  try {
    // Reading a pipe or a device could wait for good.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= mostBytes ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

exports.makeFolder = makeFolder
exports.openFile = openFile
exports.holdStdio = holdStdio
