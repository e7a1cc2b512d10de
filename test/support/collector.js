'use strict'

const { spawn, spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { eventually } = require('./app')
const { makeDir } = require('./files')
const { needs } = require('./tools')

const SOURCE = path.join(__dirname, 'collector')
const CACHE = path.join(__dirname, '..', '..', 'node_modules', '.cache', 'loopwatch-collector')
/** On a busy machine of two cores; a quiet one takes a minute. */
const LONGEST_MS = 540_000

/** The Collector's program, built unless these sources have been. */
function build () {
  const hash = createHash('sha256')
  for (const name of fs.readdirSync(SOURCE).sort()) hash.update(`\0${name}\0`).update(fs.readFileSync(path.join(SOURCE, name)))
  const file = path.join(CACHE, hash.digest('hex').slice(0, 16))
  if (fs.existsSync(file)) return file
  fs.mkdirSync(CACHE, { recursive: true })
  // Renamed into place: another run must not start half a file.
  const fresh = `${file}.${process.pid}`
  const { status, stderr } = spawnSync('go', ['build', '-mod=readonly', '-o', fresh, '.'], { cwd: SOURCE, encoding: 'utf8', timeout: LONGEST_MS })
  if (status !== 0) throw new Error(`go build of the Collector failed: ${stderr}`)
  fs.renameSync(fresh, file)
  return file
}

/**
 * A real Collector, which writes what it receives to a file. Without Go the test is skipped and says so; in CI it
 * fails.
 * @param {import('node:test').TestContext} t
 * @returns {Promise<{ url: string, got: () => { body: any }[] } | null>} null where it is skipped; `got`: the lines of
 * its file so far
 */
exports.startCollector = async (t) => {
  if (!needs(t, 'go')) return null
  const file = path.join(makeDir(t), 'received.jsonl')
  const child = spawn(build(), [file], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data })
  t.after(() => child.kill('SIGKILL'))
  const address = await eventually(() => /^127\.0\.0\.1:\d+$/m.exec(output)?.[0], () => `the Collector to listen: ${output}`)
  const got = () => !fs.existsSync(file)
    ? []
    : fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => ({ body: JSON.parse(line) }))
  return { url: `http://${address}`, got }
}
