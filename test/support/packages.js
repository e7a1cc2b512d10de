'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')

/**
 * npm keeps a list of what it has installed; it is older than the lock file where that has changed since.
 * @param {string} dir
 */
function isInstalled (dir) {
  const installed = fs.statSync(path.join(dir, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false })
  return installed !== undefined && installed.mtimeMs >= fs.statSync(path.join(dir, 'package-lock.json')).mtimeMs
}

/**
 * Installs what only a folder needs, as its own lock file has it, unless that is there.
 * @param {string} folder 'test', 'test/older-runners' or 'scenarios'
 */
exports.installFor = (folder) => {
  const dir = path.join(ROOT, folder)
  if (isInstalled(dir)) return
  process.stdout.write(`\n== installing what ${folder}/ needs (${folder}/package.json), once\n`)
  const { status, stderr, error } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: dir, encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm ci in ${folder}/ failed: ${error?.message ?? stderr}`)
}
