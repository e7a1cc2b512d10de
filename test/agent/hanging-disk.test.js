'use strict'

const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { FileWriter } = require('../../lib/watchdog/writer/file-writer')
const { eventually, startApp, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { hangingDisk } = require('../support/hanging-disk')
const { needs } = require('../support/tools')
const { PACKAGE } = require('../support/threads')

/** Longer than anything here may take. */
const HANG_SECONDS = 60
/** In this time a process says that a disk hangs, and its end has to wait. */
const SHORT_SECONDS = 6
/** A stop() that waits for the disk takes more than five of these seconds. */
const STOP_MS = 4000

/** @type {{ what: string, reason: string, options: (dir: string) => object }[]} */
const hangs = [
  { what: '`dir`', reason: 'dir', options: (dir) => ({ dir: path.join(dir, 'hangs') }) },
  { what: 'the log file', reason: 'log', options: (dir) => ({ log: { destination: path.join(dir, 'hangs.log') } }) }
]

describe('a disk that hangs', { concurrency: 2 }, () => {
  for (const { what, reason, options } of hangs) {
    test(`while the disk of ${what} hangs, blocks are recorded, the endpoint answers at once, and the disk is reported`, async (t) => {
      const env = hangingDisk(t, HANG_SECONDS)
      if (env === null) return
      const app = await startApp(t, { options: options(makeDir(t)), env })
      await (await app.get('/spin?ms=200')).text()
      const blocks = async () => /** @type {any[]} */ (await (await app.watchdog('/blocks')).json())
      await eventually(async () => JSON.stringify(await blocks()).includes('"durationMs":'), 'the block')
      for (let i = 0; i < 20; i++) {
        const askedAt = performance.now()
        assert.equal((await app.watchdog('/healthz')).status, 200)
        assert.ok(performance.now() - askedAt < 1000, `${performance.now() - askedAt} ms`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      const metrics = () => app.watchdog('/metrics').then((answer) => answer.text())
      await eventually(async () => (await metrics()).includes(`loopwatch_degraded{reason="${reason}"} 1`), 'that it is said')
      if (reason === 'dir') await app.line(({ msg }) => /written to disk\. Cause: the file system has not answered for \d+ s/.test(msg), 'a line that says so')
      else await eventually(() => /log lines cannot be written: the file system has not answered/.test(app.out.stderr), 'a warning')
    })
  }

  test('with a disk that hangs stop() comes back, and the process ends once the disk answers', async (t) => {
    const env = hangingDisk(t, SHORT_SECONDS)
    if (env === null) return
    const { closed } = startNode(t, ['-e', `
      const agent = require(${PACKAGE}).start({ port: false, dir: ${JSON.stringify(path.join(makeDir(t), 'hangs'))} })
      agent.ready.then(async () => {
        const end = performance.now() + 200
        while (performance.now() < end);
        await new Promise((resolve) => setTimeout(resolve, 300))
        const durationMs = Math.max(...(await agent.blocks()).map((block) => block.durationMs))
        const stoppedAt = performance.now()
        await agent.stop()
        console.error(JSON.stringify({ durationMs, stopMs: performance.now() - stoppedAt }))
      })`], { env })
    const { code, stderr } = await closed
    assert.equal(code, 0, stderr)
    const { durationMs, stopMs } = JSON.parse(stderr)
    assert.ok(durationMs >= 150, stderr)
    assert.ok(stopMs < STOP_MS, stderr)
  })

  test('a disk that answers again has what waited, and what was beyond the bound is counted', async (t) => {
    if (!needs(t, 'mkfifo')) return
    let file = ''
    // A test that fails must not leave the thread in there. It comes before the folder goes.
    t.after(() => {
      if (fs.existsSync(file)) fs.closeSync(fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK))
    })
    const dir = makeDir(t)
    file = path.join(dir, 'blocks.ndjson')
    // A named pipe that nobody reads keeps the writer in open().
    spawnSync('mkfifo', [file])
    /** @type {(string | null)[]} */
    const states = []
    const writer = new FileWriter({ kind: 'records', target: dir, name: 'blocks', onState: (error) => states.push(error && error.message) })
    let longestMs = 0
    const line = `${'x'.repeat(99999)}\n`
    for (let i = 0; i < 60; i++) {
      const writtenAt = performance.now()
      writer.write(line)
      longestMs = Math.max(longestMs, performance.now() - writtenAt)
    }
    assert.ok(longestMs < 500, `${longestMs} ms`)
    const lost = writer.takeLost()
    assert.ok(lost > 10 && lost < 30, `${lost}`)
    await eventually(() => states.some((state) => state !== null), 'that it is said')
    assert.match(`${states[0]}`, /has not answered for \d s/)
    const stream = fs.createReadStream(file)
    const closed = once(stream, 'close')
    let bytes = 0
    stream.on('data', (data) => { bytes += data.length })
    await eventually(() => bytes >= (60 - lost) * line.length, () => `${bytes} bytes`)
    await eventually(() => states.at(-1) === null, 'that it answers again')
    await writer.end()
    await closed
    assert.deepEqual([bytes, writer.takeLost()], [(60 - lost) * line.length, 0])
  })
})
