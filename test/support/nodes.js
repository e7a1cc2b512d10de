'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

/** The major versions that loopwatch supports, oldest first. */
exports.VERSIONS = [20, 22, 24, 26]

const CACHE = path.join(__dirname, '..', '..', 'node_modules', '.cache', 'loopwatch', 'node')

/**
 * The executable of a major version of Node.js: the npm package `node`, installed on first use.
 * Without a registry the version is left out, and says so; in CI that is an error.
 * @param {number} version
 * @returns {string | null}
 */
exports.nodeOf = (version) => {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath
  const dir = path.join(CACHE, String(version))
  const node = path.join(dir, 'node_modules', 'node', 'bin', 'node')
  if (fs.existsSync(node)) return node
  process.stdout.write(`\n== installing node@${version}\n`)
  fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(path.join(dir, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }\n')
  const { stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: dir, encoding: 'utf8' })
  if (fs.existsSync(node)) return node
  if (process.env.CI === 'true') throw new Error(`CI could not install node@${version}: ${stderr}`)
  process.stdout.write(`skipped: the tests on Node.js ${version}, which could not be installed: ${stderr}\n`)
  return null
}
