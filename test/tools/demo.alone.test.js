'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { demoBlocks, demoJobs } = require('../support/scenarios/demo')
const { parseExposition } = require('../support/exposition')
const { ownCauseOf } = require('../../lib/tables/causes')

/** Of all that blocks in the demo, one at a time, on a machine that does much else. */
const LONGEST_MS = 300_000

const FOLDER = path.join(__dirname, '..', '..', 'scenarios', 'demo')

/** @param {import('node:test').TestContext} t @param {string[]} flags */
const startDemo = (t, flags) => startNode(t, [path.join(FOLDER, 'start.js'), '--worker-port', '0', ...flags])

/** The pids of shop, worker and load. @param {{ out: { stderr: string } }} demo */
const running = ({ out }) => /** @type {Promise<number[]>} */ (eventually(() => {
  const pids = [...out.stderr.matchAll(/\(pid (\d+)\)/g)].map(([, pid]) => Number(pid))
  return pids.length === 3 && pids
}, () => `three children; stderr: ${out.stderr}`))

/**
 * An orphan that has ended stays a zombie until PID 1 looks after it, in a container maybe never.
 * @param {number} pid
 */
function isAlive (pid) {
  try {
    process.kill(pid, 0)
    const stat = `/proc/${pid}/stat`
    return !fs.existsSync(stat) || !fs.readFileSync(stat, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** @param {number[]} pids */
const gone = (pids) => eventually(() => !pids.some(isAlive), () => `the end of ${pids.filter(isAlive)}`)

/** Whether each of some rows is among others. @param {unknown[][]} rows @param {unknown[][]} seen */
const isIn = (rows, seen) => rows.every((row) => seen.some((each) => each.join() === row.join()))

test('the demo reports all seven ways to block by route, function and cause, and its jobs by name', async (t) => {
  const demo = startDemo(t, ['--every', '0.5', '--port', '0'])
  await running(demo)
  const lines = () => demo.out.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line))
  const seen = () => {
    const settled = lines().filter(({ event }) => event === 'settled')
    return {
      blocks: settled.filter(({ request }) => request !== null).map((line) => [`${line.request.method} ${line.request.route}`, line.frame?.function, ownCauseOf(line)]),
      jobs: settled.filter(({ work }) => work?.kind === 'task').map((line) => [line.work.name, line.frame?.function, ownCauseOf(line)])
    }
  }
  await eventually(() => isIn(demoBlocks, seen().blocks) && isIn(demoJobs, seen().jobs), () => `each of ${JSON.stringify([demoBlocks, demoJobs])} in ${JSON.stringify(seen())}`, LONGEST_MS)
  await eventually(() => lines().find(({ event, msg }) => event === 'lasting' && /so far/.test(msg)), 'a line of progress within a block longer than a second')
  demo.child.kill('SIGINT')
  const { code, stderr } = await demo.closed
  assert.equal(code, 0, stderr)
  const [, ofShop, ofWorker] = /^ {2}shop \(pid \d+\): \d+ blocks, ([^]*)^ {2}worker \(pid \d+\): \d+ blocks, ([^]*)/m.exec(stderr) ?? assert.fail(stderr)
  // The cause that a busy machine has for most of a function's time is another one.
  for (const [route, name] of demoBlocks) assert.match(ofShop, new RegExp(`^ +(≈ )?${name} \\(.* ${route} +[a-z-]+ +\\d`, 'm'))
  for (const [work, name] of demoJobs) assert.match(ofWorker, new RegExp(`^ +(≈ )?${name} \\(.* task ${work} `, 'm'))
})

test('the demo ends by itself after its seconds, with all its processes', async (t) => {
  const demo = startDemo(t, ['--seconds', '1', '--port', '0'])
  const pids = await running(demo)
  const { code, stderr } = await demo.closed
  assert.equal(code, 0, stderr)
  assert.deepEqual(pids.filter(isAlive), [])
})

test('Ctrl-C ends the demo with all its processes, with exit code 0', async (t) => {
  const demo = startDemo(t, ['--port', '0'])
  const pids = await running(demo)
  // A terminal sends it to every process of the group.
  for (const pid of [...pids, Number(demo.child.pid)]) process.kill(pid, 'SIGINT')
  const { code, signal, stderr } = await demo.closed
  assert.deepEqual({ code, signal }, { code: 0, signal: null }, stderr)
  assert.deepEqual(pids.filter(isAlive), [])
})

test('in a pipe it prints JSON lines and says how to format them, and readable text with --format pretty', async (t) => {
  const short = ['--seconds', '1', '--port', '0']
  const json = await startDemo(t, short).closed
  assert.equal(JSON.parse(json.stdout.split('\n')[0]).name, 'loopwatch')
  const lines = json.stdout.trim().split('\n').map((line) => JSON.parse(line))
  for (const service of new Set(lines.map(({ pid }) => pid))) {
    const own = lines.filter(({ pid }) => pid === service)
    const first = own.findIndex(({ event, level }) => event === 'opened' || level >= 40)
    const noise = (first < 0 ? own : own.slice(0, first)).filter(({ event }) => event !== 'listening')
    assert.deepEqual(noise.map(({ msg }) => msg), [], 'before the first block')
  }
  assert.match(json.stderr, /^ {2}lines {3}JSON, as stdout is not a terminal; --format pretty prints readable text$/m)
  const pretty = await startDemo(t, [...short, '--format', 'pretty']).closed
  for (const line of pretty.stdout.split('\n').filter((each) => /^\S/.test(each))) {
    assert.match(line, /^(shop {3}|worker )\[\d\d:\d\d:\d\d\.\d{3}\] [A-Z]+ /)
  }
  for (const name of ['shop', 'worker']) assert.match(pretty.stdout, new RegExp(`^${name} +\\[`, 'm'))
  assert.doesNotMatch(pretty.stdout, /\{"/)
  assert.ok(!pretty.stdout.includes('\u001b'), 'colours')
  assert.doesNotMatch(pretty.stderr, /--format/)
})

test('a demo that is killed leaves no process behind', async (t) => {
  const demo = startDemo(t, ['--port', '0'])
  const pids = await running(demo)
  demo.child.kill('SIGKILL')
  await gone(pids)
})

test('a shop that dies ends the demo, which says so', async (t) => {
  const demo = startDemo(t, ['--port', '0'])
  const pids = await running(demo)
  process.kill(pids[0], 'SIGKILL')
  const { code, stderr } = await demo.closed
  assert.equal(code, 1)
  assert.match(stderr, /the shop was ended by SIGKILL/)
  assert.deepEqual(pids.filter(isAlive), [])
})

test('the queue worker counts its jobs and the time they lost to other jobs, and its page and metrics need no HTTP server of the worker', async (t) => {
  const demo = startDemo(t, ['--port', '0', '--every', '0.3'])
  await running(demo)
  const [, url] = /live page: (\S+)\n {2}load/.exec(demo.out.stderr) ?? assert.fail(demo.out.stderr)
  await eventually(async () => {
    const { samples } = parseExposition(await (await fetch(`${url}/metrics`)).text())
    const lost = samples.find(({ name, labels }) => name === 'loopwatch_work_blocked_seconds_sum' && labels.work === 'mail:send')
    const took = samples.find(({ name, labels, value }) => name === 'loopwatch_blocked_seconds_total' && labels.work === 'photos:resize' && value > 0)
    return lost !== undefined && lost.value > 0 && took !== undefined
  }, () => `mails that lost time to photos at ${url}`)
  process.kill(Number(demo.child.pid), 'SIGTERM')
  assert.equal((await demo.closed).code, 0)
})

test('a wrong flag is refused with what it takes', async (t) => {
  for (const [flags, message] of /** @type {[string[], RegExp][]} */ ([
    [['--seconds', 'soon'], /^loopwatch: --seconds takes seconds, above 0 .*"soon"/],
    [['--every', 'now'], /--every takes seconds.*"now"/],
    [['--seconds', '0'], /--seconds takes seconds.*"0"/],
    [['--port', '70000'], /--port or LOOPWATCH_PORT takes .* from 0 to 65535, got "70000"/],
    [['--worker-port', 'x'], /--worker-port takes .* from 0 to 65535, got "x"/],
    [['--sceonds', '3'], /unknown option '--sceonds'/],
    [['--format', 'xml'], /--format.*'xml' is invalid.*pretty, json/],
    [['shop'], /too many arguments/]
  ])) {
    const { code, stdout, stderr } = await startDemo(t, flags).closed
    assert.equal(code, 2)
    assert.match(stderr, message)
    assert.equal(stdout, '')
  }
})
