'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const process = require('./process')

const STDERR = 2

/**
 * Makes a folder with those above it. Node.js' own way never comes back where a file system says that
 * an existing folder is not there, as /proc does (20.20, 26.10).
 * @param {string} dir
 * @param {number} [mode] of each that is made
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
 * Opens a file, never as the descriptor of stdin, stdout or stderr. An application may have closed these, and what it
 * prints must not get into our file.
 * @param {string} file
 * @param {string | number} flags
 * @param {number} [mode]
 * @returns {number}
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
 * Occupies the descriptors of stdin, stdout and stderr, as far as an application has closed them, as Node.js does at
 * its own start. The event loop of a thread that starts opens some of its own, and libuv aborts the process when one of
 * these is at most that of stderr by its end (assertion `fd > STDERR_FILENO`; 20.20, 24.21, 26.10). They are held as
 * long as the thread is there: freed earlier, the next socket of the application or of ours would get one, and that
 * ends in exceptions of Node.js (`open EEXIST`, out of process.stderr).
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
    // One file too many, or no permission: nothing can be held.
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

exports.makeFolder = makeFolder
exports.openFile = openFile
exports.holdStdio = holdStdio
