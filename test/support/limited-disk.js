'use strict'

const { execFileSync } = require('node:child_process')
const path = require('node:path')

/** What the fixture of that name says after it ran on a disk of 1 KiB. @param {string} kind @param {string} dir */
exports.runOnFullDisk = (kind, dir) => JSON.parse(execFileSync('bash', [
  '-c', 'ulimit -S -f 1; exec "$0" "$@"', process.execPath, path.join(__dirname, '..', 'fixtures', 'limited-disk.js'), kind, dir
], { encoding: 'utf8' }))
