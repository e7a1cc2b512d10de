'use strict'

// `npm test`: lint, types, then every test on this Node.js, then the end-to-end tests on each
// version that is supported, the newest last, whose summary closes the run.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { renderFaults, summary } = require('./support/fault-table')
const { nodeOf, VERSIONS } = require('./support/nodes')

const ROOT = path.join(__dirname, '..')
const BIN = path.join(ROOT, 'node_modules', '.bin')

/** Tests of pure parts and of tools, for which one version is enough. */
const ONCE = [
  'alerts', 'attach', 'bakeoff', 'blocks-command', 'cause', 'clock', 'cluster-hub', 'cluster-parts', 'dashboards', 'delay-histogram', 'demo', 'detector', 'diagnose',
  'escalation', 'explain', 'fault-table', 'function-head', 'history', 'hook-crate', 'hook-leak', 'hook-oracle', 'http-guard', 'incident', 'is-alive', 'lateness', 'layers', 'load',
  'manifests', 'many-routes', 'metrics', 'options', 'options-fuzz', 'others', 'overhead', 'pace', 'package', 'page', 'parking', 'path-template', 'profile-command', 'profiled', 'profiles',
  'readme', 'request-stats', 'sampler', 'scenario', 'scenario-dashboard', 'scenario-findings', 'scenario-load', 'scenario-parts', 'scenario-quick',
  'scenario-servers', 'secrets', 'soak', 'source-map', 'stack', 'steal', 'store', 'thread-discovery', 'thread-gate', 'throttling'
].map((name) => `${name}.test.js`)

/** Tools that profile on two lines of Node.js, half of them on each. @type {Record<number, string[]>} */
const ALSO = { 24: ['profile-command.test.js'] }

/** Of a file: what hangs must fail, not wait for whoever runs the tests to lose patience. */
const LONGEST_MS = 600_000

const files = fs.readdirSync(__dirname).filter((file) => file.endsWith('.test.js')).sort()

/** @param {string} title @param {string} command @param {string[]} args */
function step (title, command, args) {
  process.stdout.write(`\n== ${title}\n`)
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' })
  if (error) process.stdout.write(`${error.message}\n`)
  if (status !== 0) process.exit(status ?? 1)
}

/** What became of the faults (README.md): the table where all were tried, else a line. @param {string} file @param {boolean} isWhole */
function tellFaults (file, isWhole) {
  const results = JSON.parse(fs.readFileSync(file, 'utf8'))
  process.stdout.write(isWhole ? `\n== faults\n${renderFaults(results, process.stdout.columns ?? Infinity)}` : `\n${summary(results)}\n`)
}

/** @param {string} node @param {string[]} names */
function runTests (node, names) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-results-'))
  process.once('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
  const results = path.join(dir, 'faults.json')
  // One file at a time: the tests measure time, and share two cores with what they start.
  step(`tests on ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`, node, [
    '--test', '--test-concurrency=1', `--test-timeout=${LONGEST_MS}`, '--test-reporter=spec', '--test-reporter-destination=stdout',
    `--test-reporter=${path.join(__dirname, 'support', 'fault-reporter.js')}`, `--test-reporter-destination=${results}`,
    ...names.map((name) => path.join('test', name))])
  tellFaults(results, names.length === files.length)
}

const only = process.argv[2]
if (only !== '--nodes') {
  step('lint', path.join(BIN, 'eslint'), ['.'])
  step('types', path.join(BIN, 'tsc'), ['--noEmit'])
  step('types of the page', path.join(BIN, 'tsc'), ['--noEmit', '--project', path.join('lib', 'export', 'page', 'source')])
  runTests(process.execPath, files)
}
for (const version of VERSIONS) {
  if (only !== '--nodes' && process.versions.node.startsWith(`${version}.`)) continue
  const node = nodeOf(version)
  if (node !== null) runTests(node, files.filter((file) => !ONCE.includes(file) || ALSO[version]?.includes(file)))
}
