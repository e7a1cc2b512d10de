'use strict'

const { execFileSync } = require('node:child_process')
const path = require('node:path')
const { makeDir } = require('./files')
const { needs } = require('./tools')

/**
 * Environment of a process for which open() and write() of paths with `hangs` in them take long; null where there is
 * no compiler to make that with, or the system is not Linux.
 * @param {import('node:test').TestContext} t
 * @param {number} seconds
 */
exports.hangingDisk = (t, seconds) => {
  if (process.platform !== 'linux') {
    t.skip('needs LD_PRELOAD')
    return null
  }
  if (!needs(t, 'cc')) return null
  const library = path.join(makeDir(t), 'hanging-disk.so')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, path.join(__dirname, '..', 'fixtures', 'hanging-disk.c'), '-ldl'])
  return { LD_PRELOAD: library, HANG_SECONDS: `${seconds}` }
}
