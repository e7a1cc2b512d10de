'use strict'

// Shows for each row of lib/explain/advice/known.json that the last affected version is slow and the fixed one is not:
// node scenarios/known/run.js [--only <part of a name or identifier>] [--write]
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { fixIn } = require('../../lib/explain/advice/package-issues')

const TABLE = path.join(__dirname, '..', '..', 'lib', 'explain', 'advice', 'known.json')
const CASES = path.join(__dirname, 'cases')
/** Some never end, and fill the memory until then. */
const MOST_MS = 15_000
/** How much longer the affected version must take. Loading and compiling alone make a difference of two. */
const LEAST_RATIO = 5
/** Share of samples with the row's function on the stack. The agent names a row from half of the time on. */
const LEAST_SHARE = 0.5

/**
 * @typedef {object} Case a slow input of a row
 * @property {string} package @property {string} id of its row
 * @property {[affected: string, fixed: string][]} pairs of versions; the same twice if an option is the cure
 * @property {(lib: any, context: Context) => unknown} prepare returns, or resolves to, the call that is measured
 * @typedef {object} Context
 * @property {(name: string) => Promise<any>} load a package, or a file of it
 * @property {string} as its folder in `node_modules`
 * @property {boolean} isCured whether the option is to be used
 */

/** @returns {(Case & { file: string })[]} */
const findCases = () => fs.readdirSync(CASES).flatMap((file) =>
  require(path.join(CASES, file)).cases.map((/** @type {Case} */ each) => ({ ...each, file: path.join(CASES, file) })))

/** @param {string} name @param {string} version */
const aliasOf = (name, version) => `${name.replace('@', '').replace('/', '-')}-${version}`

/** @param {string} folder @param {Case[]} cases */
function install (folder, cases) {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
  fs.writeFileSync(path.join(folder, 'load.mjs'), 'export const load = (name) => import(name)\n')
  const packages = cases.flatMap(({ package: name, pairs }) =>
    pairs.flat().map((version) => `${aliasOf(name, version)}@npm:${name}@${version}`))
  const { status, stderr } = spawnSync(
    'npm', ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', ...new Set(packages)],
    { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm install failed: ${stderr}`)
}

/**
 * @param {string} folder @param {Case & { file: string }} each @param {string} version @param {boolean} isCured
 * @returns {{ ms: number, shares: Record<string, number> | null }} no shares if it did not end
 */
function measure (folder, { package: name, id, file }, version, isCured) {
  const program = [path.join(__dirname, 'measure.mjs'), folder, aliasOf(name, version), file, id, version]
  const { stdout, stderr, error, signal } = spawnSync(
    process.execPath, [...program, ...(isCured ? ['--cured'] : [])], { encoding: 'utf8', timeout: MOST_MS })
  if (error || signal) return { ms: MOST_MS, shares: null }
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } catch {
    throw new Error(`${name}@${version} ${id}: ${stderr}`)
  }
}

/** @param {string} folder @param {Case & { file: string }} each @param {any} row @returns {boolean} confirmed */
function check (folder, each, row) {
  const { package: name, id, pairs } = each
  return pairs.map(([affected, fixed]) => {
    const slow = measure(folder, each, affected, false)
    const fast = measure(folder, each, fixed, affected === fixed)
    const share = slow.shares === null ? null : slow.shares[row?.function] ?? 0
    const isInRange = row && fixIn(affected, row.range) === (affected === fixed ? '' : fixed)
    const isConfirmed = isInRange && slow.ms >= LEAST_RATIO * fast.ms && (share === null || share >= LEAST_SHARE)
    const ended = slow.shares === null ? 'did not end' : `${Math.round(slow.ms)} ms`
    const ratio = slow.shares === null ? '' : `, ${Math.round(slow.ms / fast.ms)} times`
    console.log(`${isConfirmed ? 'confirmed' : 'NOT CONFIRMED'}: ${name} ${id}, ${affected}: ${ended}, ` +
      `${affected === fixed ? 'cured' : fixed}: ${fast.ms.toFixed(1)} ms${ratio}` +
      `${share === null ? '' : `, ${row?.function}: ${Math.round(100 * share)}%`}${isInRange ? '' : ', not in the table'}`)
    return isConfirmed
  }).every(Boolean)
}

const { values: { only = '', write: isWrite } } = parseArgs({
  options: { only: { type: 'string' }, write: { type: 'boolean' } }
})
const rows = JSON.parse(fs.readFileSync(TABLE, 'utf8'))
const cases = findCases().filter(({ package: name, id }) => `${name} ${id}`.includes(only))
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-known-'))
try {
  install(folder, cases)
  for (const each of cases) {
    const row = rows.find((/** @type {any} */ row) => row.package === each.package && row.id === each.id)
    if (!check(folder, each, row)) process.exitCode = 1
    else row.checked = true
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
if (isWrite) {
  fs.writeFileSync(TABLE, `[\n${rows.map((/** @type {any} */ row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`)
}
