'use strict'

// `npm run test:verdicts`: how often `loopwatch test` is wrong while two other processes keep the machine busy. A suite
// without blocks must never fail, one with a block of twice the limit always. --runs says how often each runs.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')
const HOLD = JSON.stringify(path.join(__dirname, 'fixtures', 'cpu-hold.js'))
const BUSY_PROCESSES = 2
const LIMIT_MS = 50

/** Keeps a CPU busy until what has started it ends, in whatever way: its stdin is closed then. */
const BUSY = `
const burn = () => {
  const endMs = performance.now() + 50
  while (performance.now() < endMs);
  setImmediate(burn)
}
process.stdin.on('end', () => process.exit()).resume()
burn()
`
/** Without a block: calls below the limit, waiting, many short tests in a row. */
const CALM = `
const test = require('node:test')
const { hold } = require(${HOLD})
test('waits', () => new Promise((resolve) => { setTimeout(resolve, 200) }))
test('is short', () => { hold(${LIMIT_MS / 2}) })
for (let i = 0; i < 5; i++) test('is one of many ' + i, () => { hold(15) })
`
const BLOCKING = `
const test = require('node:test')
const { hold } = require(${HOLD})
test('waits', () => new Promise((resolve) => { setTimeout(resolve, 100) }))
test('blocks', () => { hold(${2 * LIMIT_MS}) })
`

/**
 * One run of the command.
 * @param {string} cwd
 * @param {string} file
 * @param {string[]} flags
 * @returns {Promise<{ code: number, said: string }>}
 */
async function runOnce (cwd, file, flags) {
  const args = [CLI, 'test', '--over', `${LIMIT_MS}ms`, ...flags, '--', process.execPath, '--test', file]
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => { said += data })
  const [code] = await once(child, 'close')
  return { code, said }
}

/** @param {number} runs @param {string[]} flags @param {string} cwd @returns {Promise<number>} wrong verdicts */
async function count (runs, flags, cwd) {
  const wrong = { calm: 0, blocking: 0 }
  for (let i = 1; i <= runs; i++) {
    for (const [name, expected] of /** @type {['calm' | 'blocking', number][]} */ ([['calm', 0], ['blocking', 1]])) {
      const { code, said } = await runOnce(cwd, `${name}.test.js`, flags)
      if (code === expected) continue
      wrong[name]++
      process.stdout.write(`run ${i}: the ${name} suite ended with ${code}\n${said}\n`)
    }
    if (i % 10 === 0) process.stdout.write(`${i} runs of each: ${JSON.stringify(wrong)} wrong\n`)
  }
  process.stdout.write(`beside ${BUSY_PROCESSES} busy processes, Node.js ${process.version}: of ${runs} runs without a block ${wrong.calm} failed, of ${runs} with a block of ${2 * LIMIT_MS} ms ${runs - wrong.blocking} failed\n`)
  return wrong.calm + wrong.blocking
}

async function main () {
  const { values } = parseArgs({ options: { runs: { type: 'string', default: '200' }, 'repeat-to-be-sure': { type: 'boolean' } } })
  const runs = Number(values.runs)
  if (!(Number.isSafeInteger(runs) && runs > 0)) throw new Error(`--runs takes a number of runs, got '${values.runs}'`)
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-verdicts-'))
  fs.writeFileSync(path.join(cwd, 'calm.test.js'), CALM)
  fs.writeFileSync(path.join(cwd, 'blocking.test.js'), BLOCKING)
  const busy = Array.from({ length: BUSY_PROCESSES }, () => spawn(process.execPath, ['-e', BUSY], { stdio: ['pipe', 'ignore', 'ignore'] }))
  try {
    process.exitCode = await count(runs, values['repeat-to-be-sure'] ? ['--repeat-to-be-sure'] : [], cwd) === 0 ? 0 : 1
  } finally {
    for (const child of busy) child.kill('SIGKILL')
    fs.rmSync(cwd, { recursive: true, force: true })
  }
}

main()
