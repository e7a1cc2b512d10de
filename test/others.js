'use strict'

// `npm run test:others [-- name or name:pattern of files...]`: the tests of other packages, as their tarballs carry
// them, with and without the agent. Fetches each package and what its tests need into a temporary folder, which takes
// the registry, some minutes and nothing of this checkout; so it is no part of `npm run test:all`.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { nearest } = require('../lib/util/nearest')

const REGISTER = path.join(__dirname, '..', 'lib', 'register.js')
/** Each lives on the event loop in its own way, and its tests take nothing but node:test. */
const packages = [
  { name: 'fastify', version: '5.12.8' },
  { name: 'avvio', version: '9.3.1' },
  { name: 'light-my-request', version: '6.8.0' },
  { name: 'find-my-way', version: '9.10.0' },
  // Without what has to be compiled first, which its tarball does not have.
  { name: 'thread-stream', version: '4.2.1', flags: ['--expose-gc'], skip: /esm|transpiled/ }
]
const RUN_MS = 15 * 60000
/** A file with a test that has failed on one side is run so often on both: some tests race with the clock. */
const REPEATS = 10

/** @param {string} command @param {string[]} args @param {import('node:child_process').SpawnSyncOptions} options */
function run (command, args, options) {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  return spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 28, timeout: RUN_MS, ...options, env: { ...env, ...options.env } })
}

/** Files below a folder. @param {string} folder @param {RegExp} pattern */
const filesOf = (folder, pattern) => fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => pattern.test(file) && !file.includes('node_modules')).sort()

/**
 * A package with its dependencies, and those for its development that its tests load.
 * @param {string} dir @param {string} name @param {string} version
 */
function fetchPackage (dir, name, version) {
  const [{ filename }] = JSON.parse(String(run('npm', ['pack', '--json', `${name}@${version}`], { cwd: dir }).stdout || '[{}]'))
  if (filename === undefined) throw new Error(`the registry does not give ${name}@${version}`)
  run('tar', ['-xzf', filename], { cwd: dir })
  const folder = path.join(dir, name)
  fs.renameSync(path.join(dir, 'package'), folder)
  const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const sources = filesOf(folder, /^test\/.*\.[cm]?[jt]s$/).map((file) => fs.readFileSync(path.join(folder, file), 'utf8')).join('\n')
  const needed = Object.entries(manifest.devDependencies).filter(([each]) => new RegExp(`['"]${each}['"/]`).test(sources))
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, scripts: {}, devDependencies: Object.fromEntries(needed) }))
  const { status, stderr } = run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: folder })
  if (status !== 0) throw new Error(`npm install for ${name}: ${stderr}`)
  return folder
}

/**
 * Results with the name of the test, in the order of the names, and the files with failures.
 * @param {string} folder @param {string[]} args @param {Record<string, string>} env
 */
function results (folder, args, env) {
  const startMs = performance.now()
  const stdout = String(run(process.execPath, ['--test', '--test-reporter=tap', ...args], { cwd: folder, env }).stdout)
  const lines = [...stdout.matchAll(/^ *((?:not )?ok) \d+ - (.*?)( # .*)?$/gm)].map(([, result, name]) => `${result} ${name.replaceAll(folder, '')}`).sort()
  const files = new Set([...stdout.matchAll(/^ *location: '(.*):\d+:\d+'$/gm)].map(([, file]) => path.relative(folder, file)).filter((file) => args.includes(file)))
  return { lines, files, failed: lines.filter((line) => line.startsWith('not')).length, seconds: (performance.now() - startMs) / 1000 }
}

/**
 * How many of ten runs of a file pass, on its own.
 * @param {string} folder @param {string[]} flags @param {string} file @param {Record<string, string>} env
 */
const passes = (folder, flags, file, env) => Array.from({ length: REPEATS }, () => run(process.execPath, [...flags, '--test', file], { cwd: folder, env }).status).filter((status) => status === 0).length

/** @param {string} message @returns {never} */
function fail (message) {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

/** What one has more of than the other. @param {string[]} ones @param {string[]} others */
function beyond (ones, others) {
  const left = new Map()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return ones.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}

const chosen = new Map(process.argv.slice(2).map((text) => /** @type {[string, RegExp]} */ ([text.split(':')[0], new RegExp(text.split(':')[1] ?? '')])))
const names = packages.map(({ name }) => name)
for (const name of chosen.keys()) {
  if (!names.includes(name)) fail(`no tests of "${name}" here, did you mean "${nearest(name, names)}"? There are ${names.join(', ')}`)
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-others-'))
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }))
const watched = { NODE_OPTIONS: `--require "${REGISTER}"`, LOOPWATCH_LOG: 'false', LOOPWATCH_PORT: '0', LOOPWATCH_THRESHOLD: '20', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_ONLY: '*' }

process.stdout.write(`Node.js ${process.versions.node}\n\n| package | results | failed alone | failed under the agent | differ | seconds |\n|---|---|---|---|---|---|\n`)
for (const { name, version, flags = [], skip } of packages.filter(
  (each) => chosen.size === 0 || chosen.has(each.name)
)) {
  const folder = fetchPackage(dir, name, version)
  const files = filesOf(folder, /^test\/.*\.test\.(js|mjs)$/).filter(
    (file) => !skip?.test(file) && (chosen.get(name)?.test(file) ?? true)
  )
  // Given no file, node --test would look for some itself.
  if (files.length === 0) fail(`no file of tests of ${name} matches ${chosen.get(name)}`)
  const args = [...flags, ...files]
  const alone = results(folder, args, {})
  const under = results(folder, args, watched)
  const [ofAlone, ofUnder] = [beyond(alone.lines, under.lines), beyond(under.lines, alone.lines)]
  const differences = [...ofAlone.map((line) => `alone: ${line}`), ...ofUnder.map((line) => `under the agent: ${line}`)]
  process.stdout.write(
    `| ${name} ${version} | ${alone.lines.length} | ${alone.failed} | ${under.failed} | ${Math.max(ofAlone.length, ofUnder.length)} | ${alone.seconds.toFixed(0)}, ${under.seconds.toFixed(0)} |\n`
  )
  if (differences.length === 0) continue
  process.stderr.write(`  ${differences.join('\n  ')}\n`)
  for (const file of new Set([...alone.files, ...under.files])) {
    const [passAlone, passUnder] = [passes(folder, flags, file, {}), passes(folder, flags, file, watched)]
    process.stderr.write(`  ${file} passes ${passAlone} times of ${REPEATS} alone, ${passUnder} under the agent\n`)
    if (passAlone === REPEATS && passUnder < REPEATS) process.exitCode = 1
  }
}
