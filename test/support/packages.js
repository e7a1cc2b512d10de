'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..')

/** @param {string} file @returns {Record<string, { version?: string, optional?: boolean }>} by path of the package */
const packagesIn = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages

/**
 * Whether npm's list of what is installed has each package of the lock file. Times say nothing: a checkout makes the
 * lock file new.
 * @param {string} dir
 */
function isInstalled (dir) {
  const list = path.join(dir, 'node_modules', '.package-lock.json')
  if (!fs.existsSync(list)) return false
  const installed = packagesIn(list)
  return Object.entries(packagesIn(path.join(dir, 'package-lock.json'))).every(([folder, { version, optional }]) =>
    folder === '' || installed[folder]?.version === version || (optional && installed[folder] === undefined))
}

/**
 * Installs what only a folder needs, as its own lock file has it, unless that is there.
 * @param {string} folder 'test', 'test/older-runners' or 'scenarios'
 */
exports.installFor = (folder) => {
  const dir = path.join(ROOT, folder)
  if (isInstalled(dir)) return
  const modules = path.join(dir, 'node_modules')
  // npm ci would empty what another checkout uses.
  if (fs.lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Error(`${modules} is a link, and has not what ${folder}/package-lock.json asks for: install there, or remove it`)
  }
  process.stdout.write(`\n== installing what ${folder}/ needs (${folder}/package.json), once\n`)
  const { status, stderr, error } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: dir, encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm ci in ${folder}/ failed: ${error?.message ?? stderr}`)
}
exports.isInstalled = isInstalled
