'use strict'

// `npm run test:faults`: every fault of support/fault-rows.js, at full length or with --short as in
// `npm run test:all`, and the table of what became of it; --write keeps the figures in README.md.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { isSound, markdownRun, markdownTables, renderFaults, rows } = require('./support/fault-table')
const { installFor } = require('./support/packages')

const README = path.join(__dirname, 'README.md')

const { values: { short, write } } = parseArgs({ options: { short: { type: 'boolean' }, write: { type: 'boolean' } } })
// Some of these tests need frameworks and profilers.
installFor('test')
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-faults-'))
const output = path.join(dir, 'results.json')
const patterns = new Set(rows.flatMap(({ test, within }) => [test, ...(within === undefined ? [] : [within])]))
const files = new Set(rows.map(({ file }) => path.join(__dirname, `${file}.test.js`)))
const { status } = spawnSync(process.execPath, [
  '--test', '--test-concurrency=1',
  '--test-reporter=spec', '--test-reporter-destination=stdout',
  `--test-reporter=${path.join(__dirname, 'support', 'fault-reporter.js')}`, `--test-reporter-destination=${output}`,
  ...[...patterns].map((name) => `--test-name-pattern=${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
  ...files
], { stdio: 'inherit', env: { ...process.env, ...(short ? {} : { TEST_FAULTS: 'full' }) } })
/** @type {import('./support/fault-results').Result[]} */
const results = JSON.parse(fs.readFileSync(output, 'utf8'))
fs.rmSync(dir, { recursive: true })
process.stdout.write(`\n${renderFaults(results, process.stdout.columns ?? Infinity)}`)

if (write) {
  const where = `${new Date().toISOString().slice(0, 10)}, Node.js ${process.versions.node}, ${os.cpus()[0]?.model.trim()}, ${os.availableParallelism()} cores, ${os.type()} ${os.release()}, load ${os.loadavg()[0].toFixed(1)} at the end.`
  const text = fs.readFileSync(README, 'utf8')
  const between = (/** @type {string} */ mark, /** @type {string} */ content, /** @type {string} */ all) => all.replace(new RegExp(`(<!-- ${mark} -->\n)[^]*?(\n<!-- end of ${mark} -->)`), (_, start, end) => `${start}${content}${end}`)
  fs.writeFileSync(README, between('run', markdownRun(results, where), between('faults', markdownTables(), text)))
}
process.exitCode = status === 0 && isSound(results) ? 0 : 1
