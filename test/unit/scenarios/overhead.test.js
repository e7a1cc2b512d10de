'use strict'

// The parts of the overhead scenario that compute: what the kernel tells, figures of a load, what is planned and shown.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { between, parseThread, readThreads } = require('../../../scenarios/overhead/checks/kernel')
const { comparisons } = require('../../../scenarios/overhead/report/comparison')
const { findings } = require('../../../scenarios/overhead/report/findings')
const { parseParts, parsePrograms, parseRate, partOf, plan } = require('../../../scenarios/overhead/parts')
const { peers } = require('../../../scenarios/overhead/peers')
const { preloadOf } = require('../../../scenarios/overhead/preload/cell')
const { compare, figuresOf, nothingTaken, slicesIn } = require('../../../scenarios/overhead/real-app/cell')
const { makeWork } = require('../../../scenarios/overhead/real-app/work')
const { outputOf } = require('../../../scenarios/overhead/suites/cell')
const { summarise } = require('../../../scenarios/harness/measure/stats')
const { makeDocument } = require('../../support/scenario-document')

const status = (/** @type {number} */ sleeps) => `Name:\tnode\nvoluntary_ctxt_switches:\t${sleeps}\nnonvoluntary_ctxt_switches:\t99\n`

test('a thread\'s time on a core and its sleeps are read as the kernel writes them, and nothing else is taken for them', () => {
  assert.deepEqual(parseThread('1500000 20000 12\n', status(34)), { onCpuNs: 1_500_000, sleeps: 34 })
  assert.throws(() => parseThread('1500000 20000 12\n', 'nonvoluntary_ctxt_switches:\t99\n'), /not known/)
  assert.throws(() => parseThread('none', status(1)), /not known: "none"/)
})

test('the threads of a process are read from /proc, and are null without it', (t) => {
  const proc = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-proc-'))
  t.after(() => fs.rmSync(proc, { recursive: true }))
  assert.equal(readThreads(7, proc), null)
  for (const tid of [7, 8]) {
    const dir = path.join(proc, '7', 'task', `${tid}`)
    fs.mkdirSync(dir, { recursive: true })
    fs.writeFileSync(path.join(dir, 'status'), status(tid))
    if (tid === 8) assert.equal(readThreads(7, proc)?.get('8'), undefined, 'ended between two reads')
    fs.writeFileSync(path.join(dir, 'schedstat'), `${tid}000 0 1\n`)
  }
  assert.deepEqual(readThreads(7, proc), new Map([['7', { onCpuNs: 7000, sleeps: 7 }], ['8', { onCpuNs: 8000, sleeps: 8 }]]))
})

test('between two looks all threads count, one that began whole, one that ended not at all', () => {
  const before = new Map([['1', { onCpuNs: 10e6, sleeps: 5 }], ['2', { onCpuNs: 900e6, sleeps: 900 }]])
  const after = new Map([['1', { onCpuNs: 30e6, sleeps: 25 }], ['3', { onCpuNs: 20e6, sleeps: 60 }]])
  assert.deepEqual(between(before, after, 2000), { cpuPercent: 2, wakeUpsPerSecond: 40 })
})

test('figures of a server are of all its slices, CPU time by request and by wall time', () => {
  const latenciesMs = Array.from({ length: 1001 }, (_, i) => 1000 - i)
  assert.deepEqual(figuresOf({ latenciesMs, cpuMs: 500, wallMs: 2000, answered: 1000 }), {
    p50Ms: 500,
    p99Ms: 990,
    p999Ms: 999,
    cpuMs: 0.5,
    cpuPercent: 25
  })
  assert.deepEqual(nothingTaken(), { latenciesMs: [], cpuMs: 0, wallMs: 0, answered: 0 })
})

test('a watched server is compared with the unwatched one, not the other way round', () => {
  const bare = { latenciesMs: [10], cpuMs: 100, wallMs: 1000, answered: 100 }
  const { cpuRatio, p999Ratio, cpuPercent, bareCpuPercent } = compare(bare, { ...bare, latenciesMs: [15], cpuMs: 120 })
  assert.deepEqual(
    { cpuRatio, p999Ratio, cpuPercent, bareCpuPercent },
    { cpuRatio: 1.2, p999Ratio: 1.5, cpuPercent: 12, bareCpuPercent: 10 }
  )
})

test('both servers have as many slices, and each is first as often as last', () => {
  assert.deepEqual(slicesIn(0.1), ['bare', 'watched'])
  assert.deepEqual(slicesIn(10), ['bare', 'watched', 'watched', 'bare'])
  for (const seconds of [5, 15, 40]) {
    const slices = slicesIn(seconds)
    assert.equal(slices.filter((name) => name === 'bare').length * 2, slices.length)
  }
})

test('an answer that is not what it was the first time is an error', async () => {
  let results = ['a', 'b', 'a', 'b', 'a', 'c']
  const kind = () => /** @type {string} */ (results.shift())
  const work = await makeWork([kind, kind])
  const [first, second] = [await work(), await work()]
  assert.notEqual(first, second)
  assert.equal(await work(), first)
  await assert.rejects(work(), /work 1 came to another result/)
  results = []
})

test('--part takes the names of parts, --rate a rate', () => {
  assert.deepEqual(parseParts('idle,preload', ['idle']), ['idle', 'preload'])
  for (const text of ['', 'idle,', 'real']) assert.throws(() => parseParts(text), { code: 'LOOPWATCH_ERR_OPTION', message: /load, real-app, idle, preload, run, suites/ })
  assert.equal(parseRate('150'), 150)
  for (const text of ['0', '1.5', 'many', '10001', '']) assert.throws(() => parseRate(text), { code: 'LOOPWATCH_ERR_OPTION' })
})

test('each part compares ours with every peer, and with an unwatched one that shows the noise', () => {
  for (const part of /** @type {const} */ (['real-app', 'idle', 'preload'])) {
    const cells = plan('default', { part: [part] })
    assert.deepEqual(cells.map(({ variant }) => variant), ['nothing', 'loopwatch', 'loopwatch-profile-off', ...Object.keys(peers)])
    for (const cell of cells) assert.equal(partOf(cell), part)
  }
  const named = plan('default', { part: ['run'] })
  assert.deepEqual([named.length, ...new Set(named.map(partOf))], [6, 'run'], 'no peer has such a call')
  assert.ok(plan('default').every((cell) => ['load', 'idle', 'run'].includes(partOf(cell))))
  assert.equal(plan('full', { part: ['real-app'], rate: 20 })[0].params.ratePerSecond, 20)
})

test('the empty script is preloaded as users do: by the register file, its options in the environment', () => {
  assert.deepEqual(preloadOf('nothing'), { flags: [], env: {} })
  const { flags, env } = preloadOf('loopwatch-profile-off')
  assert.equal(flags[1], require.resolve('../../../lib/register'))
  assert.deepEqual(env, { LOOPWATCH_PORT: '0', LOOPWATCH_PROFILE: 'off' })
  assert.deepEqual(preloadOf('dd-trace').env, { WATCH: 'dd-trace' })
})

test('tables have the unwatched side of all cells as their first row, and say where wake-ups are not counted', () => {
  const [, made] = makeDocument().cells
  const cell = (/** @type {string} */ variant, /** @type {Record<string, number[]>} */ extra) => ({
    ...made,
    variant,
    params: { server: 'bare', handler: 'idle' },
    ...summarise([1, 2]),
    extra: Object.fromEntries(Object.entries(extra).map(([key, samples]) => [key, summarise(samples)]))
  })
  const cells = [
    cell('nothing', { cpuPercent: [0.1, 0.3], bareCpuPercent: [0.1, 0.1], wakeUps: [1, 1], bareWakeUps: [1, 3] }),
    cell('loopwatch', { cpuPercent: [2, 2.5], bareCpuPercent: [0.3, 0.5], wakeUps: [80, 90], bareWakeUps: [1, 1] })
  ]
  const [table] = comparisons({ ...makeDocument(), cells })
  assert.deepEqual(table.rows.map((row) => row.slice(0, 3)), [
    ['bare', '0.200 (0.100 to 0.500)', '1.00 (1.00 to 3.00)'],
    ['nothing', '0.200 (0.100 to 0.300)', '1.00 (1.00 to 1.00)'],
    ['loopwatch', '2.25 (2.00 to 2.50)', '85.0 (80.0 to 90.0)']
  ])
  assert.deepEqual(table.notes, [])
  const [without] = comparisons({ ...makeDocument(), cells: [cell('loopwatch', { cpuPercent: [2, 2.5], bareCpuPercent: [0.1, 0.1] })] })
  assert.match(String(without.notes), /counted on Linux only/)
})

test('a suite or a tool that is not there is skipped, with the commands that bring it', (t) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-suites-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  const skipped = () => plan('default', { part: ['suites'], program: parsePrograms('koa,nodemon,npm ls'), suites: dir }).map((cell) => cell.skipped)
  const suite = path.join(dir, 'koa')
  assert.deepEqual(skipped(), [
    `git clone https://github.com/koajs/koa ${suite} && npm install --prefix ${suite}`,
    `npm install --prefix ${dir} nodemon@3.1.14`,
    null
  ])
  for (const each of [['koa', 'node_modules'], ['node_modules', 'nodemon']]) fs.mkdirSync(path.join(dir, ...each), { recursive: true })
  const nodemon = path.join(dir, 'node_modules', 'nodemon', 'package.json')
  fs.writeFileSync(nodemon, '{ "version": "3.1.13" }')
  assert.equal(skipped()[1], `npm install --prefix ${dir} nodemon@3.1.14`, 'another version')
  fs.writeFileSync(nodemon, '{ "version": "3.1.14" }')
  assert.deepEqual(skipped(), [null, null, null])
  assert.throws(() => parsePrograms('jest'), { code: 'LOOPWATCH_ERR_OPTION', message: /--program.*express, koa/ })
})

test('suites are compared by their results, other programs by all that they print, without times', () => {
  const printed = '  1260 passing (13s)\n# {"level":30,"name":"loopwatch"}\nok 1 # duration_ms 5.5\n# pass 1\n'
  assert.equal(outputOf(printed, 'suite'), '  1260 passing\nok 1 # \n# pass 1')
  assert.equal(outputOf('built in 12ms\n{"name":"loopwatch"}\n', 'tool'), 'built in\n{"name":"loopwatch"}\n')
  assert.equal(outputOf('[nodemon] starting\nanswered 300 requests: abc\n', 'application'), 'answered 300 requests: abc')
  assert.equal(outputOf('[nodemon] crashed\n', 'application'), '[nodemon] crashed\n')
})

test('a program is within its aim or above it, or the runs cannot tell', () => {
  const [, made] = makeDocument().cells
  const told = (/** @type {string} */ handler, /** @type {number[]} */ samples) => findings({
    ...makeDocument(),
    cells: [{ ...made, variant: 'loopwatch', params: { server: 'program', handler }, ...summarise(samples), extra: { addedLines: summarise([2]) } }]
  })[0]
  assert.match(told('koa', [1.1, 1.11, 1.1]), /^koa under the preload takes 1\.10 times \(.*\) as long as without, within the aim of 1\.15 times\. It prints 2 lines more\.$/)
  assert.match(told('eslint', [1.1, 1.11, 1.1]), /, above the aim of 1\.05 times\./)
  assert.match(told('eslint', [1.0, 1.1, 1.06]), /, not clearly within or above the aim of 1\.05 times\./)
  assert.doesNotMatch(told('nodemon', [1.1, 1.11, 1.1]), /the aim of/)
})
