'use strict'

// `npm test`: lint and types beside the unit tests, then the documents and a test of each promise.
// `npm test -- pool attach`: the tests whose file has one of these words in its path.
// `npm run test:all`: every test on Node.js 24, and on the others what depends on them; --on 24 leaves those out. What
// `npm test` has passed for the same commit is not run again.
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { renderFaults, summary } = require('./support/fault-table')
const { nodeOf, VERSIONS } = require('./support/nodes')
const { filesIn, filesOn, folders, inOrder, MAIN } = require('./support/suites')

const ROOT = path.join(__dirname, '..')
const SUPPORT = path.join(__dirname, 'support')
const [MAJOR] = process.versions.node.split('.')
const BIN = path.join(ROOT, 'node_modules', '.bin')
const CACHE = path.join(ROOT, 'node_modules', '.cache', 'loopwatch')
/** What `npm test` passed last: commit, major version, and what became of each test. */
const PASSED = path.join(CACHE, 'passed.json')
const QUICK = ['unit', 'documents', 'promises']
/** A file that hangs must fail, and not wait for whoever runs the tests to lose patience. */
const LONGEST_MS = 600_000
/** Unit tests compute; four at a time keep two cores busy while one of them waits. */
const UNIT_FILES_AT_ONCE = 4

/** The commands of packages that only tests have are found as those of an application are. */
const env = { ...process.env, PATH: `${path.join(__dirname, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH}` }

/** Steps that failed, and their tests. @type {string[]} */
const failures = []

/**
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<boolean>} whether it ended well
 */
async function step (title, command, args) {
  process.stdout.write(`\n== ${title}\n`)
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-failed-'))
  const failed = path.join(dir, 'tests')
  fs.writeFileSync(failed, '')
  const [code] = await once(spawn(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...env, FAILED_TESTS_FILE: failed } }), 'close')
  if (code !== 0) failures.push(title, ...fs.readFileSync(failed, 'utf8').split('\n').filter(Boolean).map((test) => `  ${test}`))
  fs.rmSync(dir, { recursive: true, force: true })
  return code === 0
}

/**
 * The same beside another step: what it says comes when it has ended.
 * @param {string} title
 * @param {string} tool
 * @param {string[]} args
 */
async function quietStep (title, tool, args) {
  const child = spawn(process.execPath, [path.join(BIN, tool), ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data })
  const [code] = await once(child, 'close')
  process.stdout.write(`\n== ${title}: ${code === 0 ? 'ok' : 'failed'}\n${output}`)
  if (code !== 0) failures.push(title)
  return code === 0
}

/**
 * @param {string} title
 * @param {{ file: string }[]} files
 * @param {{ atOnce: number, node?: string, flags?: string[], results?: string }} how results = file for what became of
 * each test
 */
function runTests (title, files, { atOnce, node = process.execPath, flags = [], results }) {
  return step(`${title} (files: ${files.length})`, node, [
    ...flags, '--test', `--test-concurrency=${atOnce}`, `--test-timeout=${LONGEST_MS}`,
    `--test-reporter=${path.join(SUPPORT, 'reporter.js')}`, '--test-reporter-destination=stdout',
    ...(results === undefined ? [] : [`--test-reporter=${path.join(SUPPORT, 'fault-reporter.js')}`, `--test-reporter-destination=${results}`]),
    ...files.map(({ file }) => path.join('test', file))])
}

/**
 * @param {string} title
 * @param {{ file: string }[]} files
 * @param {{ node?: string, results?: string }} [how]
 */
const runUnit = (title, files, how) => runTests(title, files, { ...how, atOnce: UNIT_FILES_AT_ONCE, flags: ['--require', path.join(SUPPORT, 'no-process.js')] })

const lint = () => quietStep('lint', 'eslint', ['.', '--cache', '--cache-location', path.join(CACHE, 'eslint')])

async function types () {
  const projects = await Promise.all([
    quietStep('types', 'tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', path.join(CACHE, 'types.tsbuildinfo')]),
    quietStep('types of the page', 'tsc', ['--noEmit', '--project', path.join('lib', 'export', 'page', 'source')])
  ])
  return projects.every(Boolean)
}

async function quick () {
  const commit = cleanCommit()
  const results = path.join(CACHE, 'unit.json')
  fs.rmSync(PASSED, { force: true })
  const parts = await Promise.all([lint(), types(), runUnit('unit tests', filesIn(['unit']), { results })])
  const slower = filesIn(['documents', 'promises'])
  const promises = await runTests('the documents, and a test of each promise', slower, { atOnce: 2 })
  const passed = promises && parts.every(Boolean)
  if (passed && commit !== null) {
    fs.writeFileSync(PASSED, JSON.stringify({ commit, major: MAJOR, results: resultsIn(results) }))
  }
  return passed
}

/** The commit that the files are of, null where some have been changed since or there is no git. */
function cleanCommit () {
  const [changed, head] = [['status', '--porcelain'], ['rev-parse', 'HEAD']].map((args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
    return status === 0 ? stdout.trim() : null
  })
  return changed === '' ? head : null
}

/** @returns {{ major: string | null, results: import('./support/fault-results').Result[] }} what `npm test` passed */
function passedBefore () {
  const { commit, ...passed } = fs.existsSync(PASSED) ? JSON.parse(fs.readFileSync(PASSED, 'utf8')) : {}
  return commit && commit === cleanCommit() ? passed : { major: null, results: [] }
}

/** @param {string} file @returns {import('./support/fault-results').Result[]} */
const resultsIn = (file) => fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []

/**
 * What became of the faults (test/README.md), as a table.
 * @param {import('./support/fault-results').Result[]} results
 */
function tellFaults (results) {
  process.stdout.write(`\n== faults\n${renderFaults(results, process.stdout.columns ?? Infinity)}\n${summary(results)}\n`)
}

/** @param {number} version @param {ReturnType<typeof passedBefore>} before */
async function runAllOn (version, before) {
  const node = nodeOf(version)
  if (node === null) return true
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-results-'))
  // What does not depend on the version passes once.
  const hasPassed = (/** @type {import('./support/suites').TestFile} */ { file, versions }) =>
    before.major !== null && QUICK.includes(file.split(path.sep)[0]) &&
    (versions.length === 1 || before.major === `${version}`)
  const files = filesOn(version).filter((each) => !hasPassed(each))
  const unit = files.filter(({ file }) => file.startsWith('unit'))
  const name = stdout.trim()
  const steps = [
    { files: unit, run: (/** @type {string} */ results) => runUnit(`unit tests on ${name}`, unit, { node, results }) },
    ...[3, 2, 1].map((atOnce) => {
      const own = files.filter((each) => each.atOnce === atOnce && !unit.includes(each))
      const title = `tests on ${name}, files at once: ${atOnce}`
      return { files: own, run: (/** @type {string} */ results) => runTests(title, own, { atOnce, node, results }) }
    })
  ]
  const results = steps.map((_, i) => path.join(dir, `${i}.json`))
  let passed = true
  // Without a file the runner would look for some itself.
  for (const [i, { files, run }] of steps.entries()) if (files.length > 0) passed = await run(results[i]) && passed
  if (version === MAIN) tellFaults([...before.results, ...results.flatMap(resultsIn)])
  fs.rmSync(dir, { recursive: true, force: true })
  return passed
}

/** What tests need, at once, and before those that ask for it beside each other. */
async function install () {
  const needs = [
    ...['test', 'test/older-runners', 'scenarios'].map((folder) => `require('./packages').installFor('${folder}')`),
    ...VERSIONS.map((version) => `require('./nodes').nodeOf(${version})`)
  ]
  const ends = await Promise.all(needs.map((code) =>
    once(spawn(process.execPath, ['-e', code], { cwd: SUPPORT, stdio: 'inherit' }), 'close')))
  if (ends.some(([code]) => code !== 0)) throw new Error('what the tests need could not be installed')
}

/** @param {number | undefined} only */
async function all (only) {
  const before = passedBefore()
  if (before.major !== null) {
    process.stdout.write(`\n== not run again: what npm test passed for this commit, on Node.js ${before.major}\n`)
  }
  await install()
  let passed = true
  for (const version of inOrder) if (passed && (only ?? version) === version) passed = await runAllOn(version, before)
  return passed
}

/** @param {string[]} words */
async function matching (words) {
  const files = filesIn(folders).filter(({ file }) => words.some((word) => file.includes(word)))
  if (files.length === 0) failures.push(`no file below test/ has ${words.map((word) => `'${word}'`).join(' or ')} in its path`)
  if (files.length === 0) return false
  return runTests('tests', files, { atOnce: Math.min(...files.map(({ atOnce }) => atOnce)) })
}

async function main () {
  const { values, positionals: words } = parseArgs({ options: { all: { type: 'boolean' }, on: { type: 'string' } }, allowPositionals: true })
  if (values.on !== undefined && !VERSIONS.includes(Number(values.on))) throw new Error(`--on takes one of ${VERSIONS.join(', ')}, got '${values.on}'`)
  fs.mkdirSync(CACHE, { recursive: true })
  if (words.length === 0) process.stdout.write(`takes ${values.all ? 'half an hour' : 'two minutes'} on two free cores\n`)
  const passed = values.all
    ? await all(values.on === undefined ? undefined : Number(values.on))
    : await (words.length > 0 ? matching(words) : quick())
  if (failures.length > 0) process.stdout.write(`\n== failed\n${failures.join('\n')}\n`)
  process.exitCode = passed ? 0 : 1
}

main()
