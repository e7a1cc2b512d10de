'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFileSync, spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { LogDestination } = require('../../lib/export/log/destination')
const { makeDestination } = require('../support/lib/log-destination')
const { runOnFullDisk } = require('../support/limited-disk')
const { needs } = require('../support/tools')

/** @param {string} text */
const numbers = (text) => text.split('\n').slice(0, -1).map(Number)

/**
 * A process that logs into a pipe which nobody reads yet.
 * @param {import('node:test').TestContext} t
 * @param {{ count: number, named?: boolean }} setup named: by the pipe's name, else as stdout
 */
async function startWriter (t, { count, named = false }) {
  const fifo = path.join(makeDir(t), 'fifo')
  execFileSync('mkfifo', [fifo])
  const readFd = fs.openSync(fifo, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  const writeFd = fs.openSync(fifo, fs.constants.O_WRONLY)
  const args = [path.join(__dirname, '..', 'fixtures', 'log-pipe.js'), String(count), ...(named ? [fifo] : [])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', named ? 'ignore' : writeFd, 'inherit', 'ipc'] })
  t.after(() => child.kill('SIGKILL'))
  fs.closeSync(writeFd)
  let isReading = true
  const stopReading = () => {
    if (isReading) fs.closeSync(readFd)
    isReading = false
  }
  t.after(stopReading)
  const message = async () => {
    const [answer] = await once(child, 'message', { signal: AbortSignal.timeout(20000) })
    return answer
  }
  let text = ''
  /** What has come through the pipe so far. */
  const read = () => {
    const bytes = Buffer.alloc(1 << 20)
    try {
      for (let length = 1; length > 0;) text += bytes.toString('utf8', 0, length = fs.readSync(readFd, bytes))
    } catch (error) {
      assert.equal(error.code, 'EAGAIN')
    }
    return text
  }
  return { child, report: await message(), message, read, stopReading }
}

for (const named of [false, true]) {
  test(`a pipe${named ? ' named as the destination' : ''} whose reader stands still stops nothing: lines wait, a bounded number, and come when it reads`, { timeout: 60000 }, async (t) => {
    const count = 30000
    const { child, report, message, read } = await startWriter(t, { count, named })
    assert.deepEqual(report.states, [])
    // One that waits for the reader would never come back.
    assert.ok(report.longestMs < 10_000, `a write took ${report.longestMs} ms`)
    assert.ok(report.dropped > count / 2, `only ${report.dropped} of ${count} lines were dropped`)
    const kept = count - report.dropped
    assert.ok(kept * 100 > 1024 * 1024, `only ${kept} lines were kept`)
    await eventually(() => read().length >= kept * 100, () => `${kept} lines, but ${read().length / 100}`)
    assert.deepEqual(numbers(read()), Array.from({ length: kept }, (_, i) => i))
    child.send('write')
    assert.equal((await message()).dropped, report.dropped)
    await eventually(() => read().endsWith('more\n'), 'the line written once the reader reads')
    child.send('end')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
}

test('a closed reader of the log is reported once, and nothing is thrown', { timeout: 60000 }, async (t) => {
  const { child, report, message, stopReading } = await startWriter(t, { count: 5 })
  assert.deepEqual(report, { ...report, dropped: 0, states: [] })
  stopReading()
  for (let i = 1; i <= 5; i++) {
    child.send('write')
    const { dropped, states } = await message()
    assert.deepEqual(states, ['EPIPE'])
    assert.equal(dropped, i)
  }
  child.send('end')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a named pipe whose reader has gone is opened again after five seconds', (t) => {
  if (!needs(t, 'mkfifo')) return
  const file = path.join(makeDir(t), 'log.fifo')
  spawnSync('mkfifo', [file])
  const listen = () => fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  let atMs = 0
  let reader = listen()
  const { destination, states } = makeDestination(t, file, () => atMs)
  destination.write('1\n')
  fs.closeSync(reader)
  destination.write('2\n')
  reader = listen()
  t.after(() => fs.closeSync(reader))
  atMs += 4999
  destination.write('3\n')
  atMs += 1
  destination.write('4\n')
  assert.equal(fs.readSync(reader, Buffer.alloc(10)), 2)
  assert.deepEqual(states.map((error) => error?.code), ['EPIPE', undefined])
  assert.equal(destination.dropped, 2)
})

test('a log on a full disk goes on once there is room, and says so', (t) => {
  if (!needs(t, 'prlimit')) return
  const dir = makeDir(t)
  const { droppedFull, droppedFreed, states } = runOnFullDisk('lines', dir)
  assert.deepEqual(states, ['EFBIG', null])
  assert.equal(droppedFull, 90)
  assert.equal(droppedFreed, droppedFull)
  const lines = fs.readFileSync(path.join(dir, 'log'), 'utf8').split('\n')
  assert.deepEqual(lines.slice(0, 10).map(Number), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(lines.at(-2), 'after', 'on a line of its own, behind what was written of the eleventh')
})

/**
 * What a worker of pm2's cluster mode leaves in its log files, and on the daemon's stdout and stderr.
 * @param {import('node:test').TestContext} t @param {{ settings?: object, isPreload?: boolean }} [setup]
 */
async function runUnderPm2 (t, { settings = {}, isPreload = false } = {}) {
  const dir = makeDir(t)
  const files = { pm_out_log_path: path.join(dir, 'out.log'), pm_err_log_path: path.join(dir, 'error.log') }
  const flags = isPreload ? ['-r', require.resolve('../../lib/register')] : []
  const args = [{ exec_mode: 'cluster_mode', ...files, ...settings }, flags].map((each) => JSON.stringify(each))
  const ended = await startNode(t, ['pm2-cluster.js', ...args], { env: { LOOPWATCH_PORT: '0' } }).closed
  const written = fs.readdirSync(dir).map((name) => [name.replace('.log', ''), fs.readFileSync(path.join(dir, name), 'utf8')])
  const blocks = Object.entries({ ...Object.fromEntries(written), stdout: ended.stdout, stderr: ended.stderr })
    .filter(([, text]) => text.includes('"event":"settled"')).map(([name]) => name)
  return { blocks, ended, texts: Object.fromEntries(written) }
}

test("in pm2's cluster mode the log goes where the worker's own output goes, not to pm2's daemon", { timeout: 120000 }, async (t) => {
  const { blocks, texts, ended } = await runUnderPm2(t)
  assert.deepEqual(blocks, ['out'], ended.stderr)
  assert.match(texts.out, /^application$/m)
  assert.deepEqual((await runUnderPm2(t, { isPreload: true })).blocks, ['error'])
  const all = path.join(makeDir(t), 'all.log')
  fs.writeFileSync(all, '')
  await runUnderPm2(t, { settings: { pm_out_log_path: 'NULL', pm_log_path: all } })
  assert.match(fs.readFileSync(all, 'utf8'), /"event":"settled"/)
  assert.deepEqual((await runUnderPm2(t, { settings: { disable_logs: true } })).blocks, [])
  assert.deepEqual((await runUnderPm2(t, { settings: { exec_mode: 'fork_mode' } })).blocks, ['stdout'])
})

test('with a preload, options in the environment of a pm2 application count in cluster mode as well', { timeout: 120000 }, async (t) => {
  const { blocks, texts, ended } = await runUnderPm2(t, { isPreload: true, settings: { LOOPWATCH_LOG: false } })
  assert.match(texts.out, /^application$/m)
  assert.deepEqual(blocks, [], ended.stderr)
})

test('a log that somebody else creates is not created: it would have our owner and mode', (t) => {
  const file = path.join(makeDir(t), 'log')
  const states = /** @type {any[]} */ ([])
  let atMs = 0
  const destination = new LogDestination(file, (error) => states.push(error), () => atMs, false)
  t.after(() => destination.close())
  assert.deepEqual([fs.existsSync(file), states], [false, []])
  destination.write('1\n')
  assert.deepEqual([fs.existsSync(file), states.map(({ code }) => code)], [false, ['ENOENT']])
  fs.writeFileSync(file, '')
  atMs += 5000
  destination.write('2\n')
  assert.equal(fs.readFileSync(file, 'utf8'), '2\n')
})
