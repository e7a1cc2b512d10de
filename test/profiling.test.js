'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { Profiling } = require('../lib/watchdog/profiling')
const { FrameTable } = require('../lib/explain/frame-table')
const { startNode, FIXTURES } = require('./support/app')
const { makeRecord } = require('./support/record')

const APP = 'native-app.js'
const FILE = path.join(FIXTURES, APP)
/** What a busy machine adds elsewhere must not count. */
const THRESHOLD_MS = 40

/**
 * Runs a script in the application of the fixture; gives what it printed, apart from the log.
 * @param {import('node:test').TestContext} t
 * @param {string} script
 * @param {object} [options]
 * @param {string[]} [flags]
 */
async function run (t, script, options = {}, flags = []) {
  const ended = await startNode(t, [...flags, APP, JSON.stringify({ port: 0, requests: 'off', threshold: THRESHOLD_MS, ...options }), script]).closed
  const lines = ended.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  assert.deepEqual({ code: ended.code, stderr: ended.stderr.replace(/^.*Warning.*\n.*trace-warnings.*\n/m, '') }, { code: 0, stderr: '' })
  return { said: lines.find(({ name }) => name !== 'loopwatch'), log: lines.filter(({ name }) => name === 'loopwatch') }
}

/** Of each function of the fixture the record of its block. */
const BLOCK_OF = `
  const records = []
  agent.on('block', (record) => records.push(record))
  const until = async (look) => { for (let i = 0; i < 1000; i++) { const value = await look(); if (value) return value; await sleep(10) } }
  const recordOf = async (name) => {
    const known = records.length
    await block(name)
    return until(() => records.slice(known).find(({ frame, stacks }) => frame?.function === name || stacks[0]?.frames.some((each) => each.function === name)))
  }
  const gauge = async () => /^loopwatch_profiling (\\d)$/m.exec(await agent.metrics())[1]
`

/** What a record must say of each: the call, and a line with that call in it. */
const CALLS = { parse: 'JSON.parse', parseLast: 'JSON.parse', sorted: 'sort', matched: 'test', derived: 'pbkdf2Sync' }

/** @param {any} record @param {keyof typeof CALLS} name */
function assertExact (record, name) {
  const lines = require('node:fs').readFileSync(FILE, 'utf8').split('\n')
  assert.equal(record?.frame?.function, name, JSON.stringify(record))
  assert.equal(record.frame.file, FILE)
  assert.equal(record.frame.exact, true, JSON.stringify(record.frame))
  assert.ok(lines[record.frame.line - 1].includes(`${CALLS[name]}(`), `line ${record.frame.line} of ${name}`)
  assert.equal(record.profile.call, CALLS[name])
  assert.equal(record.leaf.function, CALLS[name])
  assert.ok(record.profile.samples >= 2 && record.profile.stacks.length > 0)
}

test("with profile: 'on' JSON.parse, sort, a regular expression and pbkdf2Sync are named exactly, and the block's profile is V8's own", async (t) => {
  const { said, log } = await run(t, `${BLOCK_OF}
    const found = {}
    for (const name of ${JSON.stringify(Object.keys(CALLS))}) found[name] = await recordOf(name)
    const profile = await (await fetch(url + '/blocks/' + found.parse.id + '.cpuprofile')).json()
    const served = await (await fetch(url + '/blocks/' + found.parse.id)).json()
    say({ found, profile, samples: served.profile.samples, gauge: await gauge() })
    await agent.stop()
    process.exitCode = 0`, { profile: 'on' })
  for (const name of /** @type {(keyof typeof CALLS)[]} */ (Object.keys(CALLS))) assertExact(said.found[name], name)
  assert.equal(said.gauge, '1')

  const { nodes, samples, timeDeltas, startTime, endTime } = said.profile
  assert.equal(samples.length, said.samples)
  assert.equal(timeDeltas.length, samples.length)
  const ms = (endTime - startTime) / 1000
  assert.ok(Math.abs(ms - said.found.parse.durationMs) < 1, `${ms}`)
  const parse = nodes.find((/** @type {any} */ node) => node.callFrame.functionName === 'parse')
  assert.ok(parse.hitCount > 0 && parse.callFrame.url.endsWith(APP), JSON.stringify(parse))

  assert.equal(log.filter(({ event }) => event === 'profile_on').length, 1)
  assert.match(log.find(({ event, msg }) => event === 'closed' && msg.includes(': JSON.parse in '))?.msg ?? '', /JSON\.parse in parse \(native-app\.js:\d+\)/)
})
