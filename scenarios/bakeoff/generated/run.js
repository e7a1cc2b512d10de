'use strict'

const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { install } = require('./calibrate')
const { factsOf } = require('./facts')
const { families } = require('./families')
const { judge } = require('./score')

const TARGET = path.join(__dirname, 'target.js')
const BLOCKS = 2
const LIMIT_MS = 30000

/**
 * Draws, measures, runs and judges one program. Null if its truth is not certain on this machine.
 * @param {number} seed @param {number} index
 * @param {object} [how] @param {Record<string, unknown>} [how.options] of start()
 * @param {string} [how.family] of programs (families.js)
 * @param {boolean} [how.keepsFacts] with what the agent knew of each block (facts.js)
 */
exports.runProgram = async (seed, index, { options: given, family = 'grammar', keepsFacts = false } = {}) => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-generated-')))
  try {
    const ready = await families[family](seed, index, folder)
    if (ready === null) return null
    const { design, share, next, cause, place, owner } = ready
    const program = install(ready.program, folder)
    const facts = path.join(folder, 'facts.ndjson')
    const options = { ...given, ...(keepsFacts && { facts }) }
    const order = { file: program.file, place, blocks: BLOCKS, options }
    const said = await exports.runTarget(TARGET, { BAKEOFF_PROGRAM: JSON.stringify(order) })
    const truth = { ...program, folder, cause, share, next, place, owner }
    const verdicts = said.intervals.map((interval) => judge(interval, said.records, truth))
    const kept = keepsFacts ? factsOf(folder, facts, said.intervals, truth, family) : []
    return { design, share, program, verdicts, kept }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs a process that blocks under the agent, and prints when it did and what the agent said.
 * @param {string} file @param {Record<string, string>} variables @returns {Promise<{
 * intervals: import('./score').Interval[], records: import('../../../lib/types').BlockRecord[] }>}
 */
exports.runTarget = (file, variables) => {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { env: { ...process.env, ...variables }, timeout: LIMIT_MS })
    let [out, err] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => { out += text })
    child.stderr.setEncoding('utf8').on('data', (text) => { err += text })
    child.on('error', reject).on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(out))
      else reject(new Error(`the program ended with ${signal ?? code}: ${err.slice(-2000)}`))
    })
  })
}
