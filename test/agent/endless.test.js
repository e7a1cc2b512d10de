'use strict'

// runtime: V8 interrupts
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { startApp, startNode, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { needs, startPrometheus } = require('../support/tools')
const { ownCauseOf } = require('../../lib/tables/causes')

const ROOT = path.join(__dirname, '..', '..')

/** @param {string} text @param {string} name */
const valueOf = (text, name) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])

test('a block that never ends: the log goes on, the endpoint answers, the gauge grows', async (t) => {
  const dir = makeDir(t)
  const app = await startApp(t, { options: { dir } })
  app.get('/forever').catch(() => {}) // answered by nobody

  // A busy machine adds blocks of its own.
  const opened = await app.line(({ event, request }) => event === 'opened' && request?.route === '/forever', 'the block to be opened')
  const lasting = () => app.lines().filter(({ event, block }) => event === 'lasting' && block === opened.block)
  await eventually(() => lasting().length >= 2, 'two lines of progress')
  const [first, second] = lasting()
  // On a busy machine the thread may not have run before the first line.
  assert.ok([opened, first].some(({ frame }) => frame?.function === 'forever'), JSON.stringify([opened, first]))
  assert.ok(first.durationMs >= 1000 && second.durationMs >= 5000, `${first.durationMs}, ${second.durationMs}`)

  const health = await app.watchdog('/healthz')
  assert.equal(health.status, 503)
  assert.ok(/** @type {any} */ (await health.json()).blockedMs > 1000)
  assert.equal((await app.watchdog('/healthz?ms=3600000')).status, 200, 'a block shorter than ms= is overlooked')
  for (const ms of ['10s', '-1', '']) assert.equal((await app.watchdog(`/healthz?ms=${ms}`)).status, 400, `ms=${ms}`)

  const before = valueOf(await (await app.watchdog('/metrics')).text(), 'loopwatch_block_in_progress_seconds')
  await new Promise((resolve) => setTimeout(resolve, 300))
  const after = valueOf(await (await app.watchdog('/metrics')).text(), 'loopwatch_block_in_progress_seconds')
  assert.ok(after >= before + 0.25, `${before} grew to ${after}`)

  const blocks = /** @type {any[]} */ (await (await app.watchdog('/blocks')).json())
  const block = blocks.find(({ ongoing }) => ongoing)
  assert.ok(['js', 'starved'].includes(ownCauseOf(block)), JSON.stringify(block))
  assert.equal(/** @type {any} */ (await (await app.watchdog(`/blocks/${block.id}`)).json()).id, block.id)

  // Killed in mid-block, it leaves its record behind.
  app.child.kill('SIGKILL')
  await app.closed
  const listed = startNode(t, [path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js'), 'blocks', '--json', dir])
  // The latest is listed last: a busy machine may have added blocks of its own before.
  const record = JSON.parse((await listed.closed).stdout.trim().split('\n').at(-1) ?? '')
  assert.equal(record.frame.function, 'forever')
  assert.equal(record.ongoing, true)
})

test('Prometheus keeps up = 1 through a block, and has it in progress', async (t) => {
  if (!needs(t, 'prometheus')) return
  const app = await startApp(t)
  const query = await startPrometheus(t, new URL(app.url).host)
  await eventually(async () => (await query('up'))[0]?.value[1] === '1', 'up = 1')
  app.get('/forever').catch(() => {})
  await eventually(async () => Number((await query('loopwatch_block_in_progress_seconds'))[0]?.value[1]) > 2, 'a block in progress of more than 2 s')
  const up = await query('min_over_time(up[1m])')
  assert.equal(up[0].value[1], '1')
})

test('stuck: "report" logs every stack once, and the application goes on', async (t) => {
  const app = await startApp(t, { options: { stuck: 150 } })
  const lines = () => app.lines().filter(({ event }) => event === 'stuck')
  // On a busy machine the thread may not have run by then.
  await eventually(async () => {
    await app.get('/spin?ms=600')
    return lines().some(({ record }) => record.stacks[0]?.frames[0].function === 'spin')
  }, () => `a line about the stuck loop: ${app.out.stdout}`)
  assert.equal(lines().length, new Set(lines().map(({ record }) => record.id)).size)
  assert.equal((await app.get('/')).status, 200)
})

const canUnshare = process.platform === 'linux' && spawnSync('unshare', ['-fp', '--mount-proc', 'true']).status === 0

test('so it does as PID 1, to which signals from within mean nothing', { skip: !canUnshare && process.env.CI !== 'true' && 'needs unshare, and root' }, async (t) => {
  const script = `
    const agent = require(${JSON.stringify(ROOT)}).start({ port: 0, stuck: 200, onStuck: 'abort' })
    agent.ready.then(() => setTimeout(() => { for (;;); }, 50))`
  const child = spawn('unshare', ['-fp', '--mount-proc', '--kill-child', process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => child.kill('SIGKILL'))
  let stdout = ''
  child.stdout.on('data', (/** @type {Buffer} */ data) => { stdout += data })
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000)
  await once(child, 'close')
  clearTimeout(late)
  // unshare ends as its child has.
  assert.notEqual(child.signalCode, 'SIGKILL', 'it did not end')
  assert.match(stdout, /"event":"pid_1".*--init/)
  assert.match(stdout, /"event":"stuck"/)
})

test('onStuck: "abort" ends a process that would never end', async (t) => {
  const app = await startApp(t, { options: { stuck: 200, onStuck: 'abort' } })
  app.get('/forever').catch(() => {})
  const { signal } = await app.closed
  assert.equal(signal, 'SIGABRT')
  assert.ok(app.lines().some(({ event }) => event === 'stuck'), 'it says why first')
})
