'use strict'

// `npm test`: lint, types, then every test on this Node.js, then the end-to-end tests on each
// version that is supported, the newest last, whose summary closes the run.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { nodeOf, VERSIONS } = require('./support/nodes')

const ROOT = path.join(__dirname, '..')
const BIN = path.join(ROOT, 'node_modules', '.bin')

/** Tests of pure parts and of tools, for which one version is enough. */
const ONCE = [
  'alerts', 'attach', 'bakeoff', 'cause', 'cluster-hub', 'cluster-parts', 'dashboards', 'delay-histogram', 'demo', 'detector', 'diagnose', 'escalation',
  'explain', 'history', 'hook-crate', 'http-guard', 'lateness', 'layers', 'load', 'manifests', 'many-routes', 'metrics', 'options', 'page',
  'path-template', 'profile-command', 'profiles', 'readme', 'request-stats', 'scenario', 'scenario-load', 'scenario-parts', 'scenario-quick',
  'scenario-servers', 'source-map', 'stack', 'store', 'thread-gate'
].map((name) => `${name}.test.js`)

const files = fs.readdirSync(__dirname).filter((file) => file.endsWith('.test.js')).sort()

/** @param {string} title @param {string} command @param {string[]} args */
function step (title, command, args) {
  process.stdout.write(`\n== ${title}\n`)
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' })
  if (error) process.stdout.write(`${error.message}\n`)
  if (status !== 0) process.exit(status ?? 1)
}

/** @param {string} node @param {string[]} names */
function runTests (node, names) {
  // One file at a time: the tests measure time, and share two cores with what they start.
  step(`tests on ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`, node,
    ['--test', '--test-reporter=spec', '--test-concurrency=1', ...names.map((name) => path.join('test', name))])
}

const only = process.argv[2]
if (only !== '--nodes') {
  step('lint', path.join(BIN, 'eslint'), ['.'])
  step('types', path.join(BIN, 'tsc'), ['--noEmit'])
  step('types of the page', path.join(BIN, 'tsc'), ['--noEmit', '--project', path.join('lib', 'export', 'page', 'source')])
  step('types of the page', path.join(BIN, 'tsc'), ['--noEmit', '--project', path.join('lib', 'export', 'page', 'source')])
  runTests(process.execPath, files)
}
for (const version of VERSIONS) {
  if (only !== '--nodes' && process.versions.node.startsWith(`${version}.`)) continue
  const node = nodeOf(version)
  if (node !== null) runTests(node, files.filter((file) => !ONCE.includes(file)))
}
