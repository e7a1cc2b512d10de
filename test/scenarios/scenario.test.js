'use strict'

// Takes half a minute: runs of scenarios that crash, hang and are interrupted on purpose.
// The harness with real processes: results, failures, Ctrl-C, and what is left behind.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { Ajv } = require('ajv')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { needs } = require('../support/tools')
const schema = require('../../scenarios/harness/schema.json')

const ROOT = path.join(__dirname, '..', '..')
const MAIN = path.join(ROOT, 'lib', 'cli', 'main.js')
const RUNNER = path.join(__dirname, '..', 'fixtures', 'scenario-runner.js')
const validate = new Ajv({ allowUnionTypes: true }).compile(schema)

/** @param {string} file */
function readDocument (file) {
  const document = JSON.parse(fs.readFileSync(file, 'utf8'))
  for (const each of [document].flat()) assert.ok(validate(each), JSON.stringify(validate.errors))
  return document
}

/** Processes that were started with this in their environment. @param {string} mark */
const marked = (mark) => fs.readdirSync('/proc').filter((pid) => {
  try {
    // A zombie has no environment any more.
    return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
  } catch {
    return false
  }
})

/** @param {import('node:test').TestContext} t @param {string[]} args @param {string} [command] */
function start (t, args, command) {
  const mark = randomUUID()
  const { child, out, closed } = startNode(t, args, { env: { TEST_LOOPWATCH_MARK: mark }, node: command })
  return { child, said: out, ended: closed.then(({ code, signal }) => code ?? signal), mark }
}

test('cells that fail say why and keep their place, the others have figures', async (t) => {
  const dir = makeDir(t)
  const [json, report] = [path.join(dir, 'results.json'), path.join(dir, 'report.html')]
  const { said, ended } = start(t, [RUNNER, json, report])
  assert.equal(await ended, 1)
  // Two were asked for, of which one has results.
  const [{ cells, environment, findings, interrupted }, ...none] = readDocument(json)
  assert.deepEqual(none, [])
  const [fine, wrong, crash, hang, unchecked, nan, absent, crowded] = cells

  assert.deepEqual(fine.samples, [10, 10, 10])
  assert.deepEqual([fine.median, fine.oracle, fine.error, fine.oversubscribed], [10, 'passed', null, false])
  assert.ok(Math.abs(fine.ci95[0] - 10) < 1e-9)
  assert.equal(fine.extra.further.median, 4)
  assert.ok(Math.abs(fine.latencyMs.p50 - 2) < 0.04, `${fine.latencyMs.p50}`)
  assert.equal(fine.process[0].role, 'caller')
  // A machine that is short of CPUs makes one.
  assert.ok(fine.caller.blocks <= 1, `${fine.caller.blocks}`)
  assert.deepEqual([wrong.oracle, wrong.median, wrong.error], ['failed', null, 'the sum is not what it must be'])
  assert.match(crash.error, /^ended \((SIGABRT|exit code \d+)\) without a result\nabout to fall/)
  assert.match(hang.error, /^took longer than 2 s/)
  assert.match(unchecked.error, /no oracle/)
  assert.equal(nan.oracle, 'failed')
  assert.equal(absent.skipped, 'go is not on the PATH: https://go.dev/dl/')
  assert.equal(crowded.oversubscribed, true)
  assert.deepEqual([environment.tools, findings, interrupted], [{ go: '1.0' }, ['There are 8 cells.'], false])

  assert.match(said.stdout, /WRONG RESULT: the sum/)
  assert.match(said.stdout, /skipped: go is not on the PATH/)
  assert.match(said.stderr, /setup\n[^]*teardown \{"go":"1.0"\}\nended first\nended last\n/)
  assert.match(said.stderr, /teardown undefined\nbroken ended\nbroken failed: Error: no database/, 'a scenario that cannot begin stops no other')
  // One that failed is not tried again.
  assert.equal(said.stderr.match(/^hang size=1 failed/gm)?.length, 1)
  assert.match(fs.readFileSync(report, 'utf8'), /WRONG RESULT: the sum/)
})

test('Ctrl-C keeps what was finished and leaves no process behind', { skip: process.platform !== 'linux' }, async (t) => {
  const json = path.join(makeDir(t), 'results.json')
  const { child, said, ended, mark } = start(t, [MAIN, 'scenario', 'messaging', '--quick', '--only', 'worker-clone,fork-json', '--repeats', '100', '--json', json, '--port', '0'])
  await eventually(() => said.stderr.includes('repeat 3,'), () => `a third repeat: ${said.stderr}`)
  // Between two cells there is none for a moment.
  await eventually(() => marked(mark).length > 1, 'a cell that runs beside the harness')
  child.kill('SIGINT')
  assert.equal(await ended, 130)
  const { cells, interrupted } = readDocument(json)
  assert.equal(interrupted, true)
  for (const { samples, error } of cells) assert.ok(samples.length >= 2 && error === null)
  assert.match(said.stdout, /Interrupted/)
  await eventually(() => marked(mark).length === 0, () => `every process to end: ${marked(mark)}`)
})

test('a harness that is ended in mid-cell, or killed, leaves no process behind', { skip: process.platform !== 'linux' }, async (t) => {
  for (const [signal, expected] of /** @type {const} */ ([['SIGINT', 130], ['SIGTERM', 130], ['SIGKILL', 'SIGKILL']])) {
    // The cell would go on for longer than the test waits.
    const { child, said, ended, mark } = start(t, [MAIN, 'scenario', 'messaging', '--only', 'fork-json', '--seconds', '60', '--port', '0'])
    await eventually(() => marked(mark).length >= 3, () => `a cell and its child to run: ${said.stderr}`)
    child.kill(signal)
    await eventually(() => marked(mark).length === 0, () => `every process to end after ${signal}: ${marked(mark)}`)
    assert.equal(await ended, expected)
  }
})

test('where the reader of its output has gone a run ends tidily, and writes its files', async (t) => {
  const dir = makeDir(t)
  const [json, report] = [path.join(dir, 'results.json'), path.join(dir, 'report.html')]
  for (const args of [['--full', '--list', 'hook-calls'], []]) {
    const list = start(t, [MAIN, 'scenario', ...args])
    list.child.stdout?.destroy()
    assert.deepEqual([await list.ended, list.said.stderr], [0, ''])
  }
  const run = ['scenario', 'messaging', '--quick', '--only', 'worker-clone', '--port', '0', '--json', json]
  const finished = start(t, [MAIN, ...run, '--repeats', '1', '--report', report])
  finished.child.stdout?.destroy()
  assert.equal(await finished.ended, 0, finished.said.stderr)
  assert.equal(readDocument(json).interrupted, false)
  assert.match(fs.readFileSync(report, 'utf8'), /<\/html>/)
  // Its progress goes to stderr: `2>&1 | head`.
  const unread = start(t, [MAIN, ...run, '--repeats', '1000'])
  unread.child.stderr?.destroy()
  assert.equal(await unread.ended, 130)
  assert.equal(readDocument(json).interrupted, true)
  assert.match(unread.said.stdout, /Interrupted/)
})

test('live metrics count while it runs; a port that is taken does not stop a run', async (t) => {
  const first = start(t, [MAIN, 'scenario', 'messaging', '--quick', '--only', 'worker-clone', '--seconds', '3', '--port', '0'])
  const url = await eventually(() => /live metrics: (\S+)/.exec(first.said.stderr)?.[1], () => `an endpoint: ${first.said.stderr}`)
  const operations = /^loopwatch_scenario_operations_total\{scenario="messaging",variant="worker-clone",cell="payload=small depth=1"\} (\d+)$/m
  const text = await eventually(async () => {
    const metrics = await (await fetch(url)).text()
    return Number(operations.exec(metrics)?.[1] ?? 0) > 0 && metrics
  }, 'operations to be counted')
  assert.match(text, /^loopwatch_scenario_workers\{.*\} 1$/m)
  assert.match(text, /^loopwatch_scenario_operation_duration_seconds_bucket\{scenario="messaging".*,le="0.0001"\} \d+$/m)

  const second = start(t, [MAIN, 'scenario', 'messaging', '--quick', '--only', 'worker-transfer', '--repeats', '1', '--port', new URL(url).port])
  assert.equal(await second.ended, 0)
  assert.match(second.said.stderr, /^no live metrics: .*EADDRINUSE/m)
  first.child.kill('SIGINT')
  await first.ended
})

test('on one core every pair is marked oversubscribed, and the ring does not spin', async (t) => {
  if (!needs(t, 'taskset')) return
  const json = path.join(makeDir(t), 'results.json')
  const { ended, said } = start(t, ['-c', '0', process.execPath, MAIN, 'scenario', 'messaging', '--quick', '--only', 'ring-json,fork-v8', '--repeats', '1', '--json', json, '--port', '0'], 'taskset')
  assert.equal(await ended, 0, said.stderr)
  const { cells, environment } = readDocument(json)
  assert.equal(environment.cores, 1)
  assert.ok(cells.length > 1)
  for (const { oversubscribed, oracle } of cells) assert.deepEqual([oversubscribed, oracle], [true, 'passed'])
})

test('a scenario that cannot run is reported before anything runs', (t) => {
  const dir = makeDir(t)
  /** @type {[string[], RegExp][]} */
  const failures = [
    [['mesaging'], /unknown scenario "mesaging", expected one of .*\bmessaging\b.*; 'loopwatch scenario' describes them \(LOOPWATCH_ERR_SCENARIO\)/],
    [['messaging', '--only', 'fork-jsn'], /--only fork-jsn: messaging has no such variant in this mode, did you mean "fork-json"\?/],
    [['offload', '--quick', '--repeats', '0'], /--repeats takes a whole number from 1 to 1000, got "0"/],
    [['offload', '--seconds', 'x'], /--seconds takes a whole number/],
    [['offload', '--json', path.join(dir, 'absent', 'x.json')], /--json cannot write .*ENOENT/],
    [['offload', '--report', dir], /--report cannot write .*EISDIR/],
    [['offload', '--quick', '--full'], /cannot be used with/],
    [['--only', 'fork'], /--only takes the name of a scenario before it/],
    [['messaging', '--quick', '--only', ''], /--only takes the name of a variant, got ""/],
    [['messaging', '--quick', '--only', ','], /--only takes the name of a variant, got ","/],
    [['messaging', '--quick', '--only', 'fork-json', '--json', path.join(dir, 'x'), '--report', `${dir}/./x`], /--report takes another file than --json, got /]
  ]
  for (const [args, expected] of failures) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'scenario', ...args], { encoding: 'utf8', timeout: 20000 })
    assert.match(stderr, expected)
    assert.ok(status === 2 || status === 1, `${args}: ${status}`)
    assert.ok(!stderr.includes('repeat 1'), `${args} ran`)
  }
  assert.deepEqual(fs.readdirSync(dir), [])
})
