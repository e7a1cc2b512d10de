'use strict'

const process = require('./process')

/** Resident memory of the process; null if /proc, from which libuv reads it on Linux, is hidden. */
exports.residentBytes = () => {
  try {
    return process.memoryUsage.rss()
  } catch {
    return null
  }
}
