'use strict'

// The line of a worker thread's block, by the profile that the main thread takes of it.
// runtime: worker threads, CPU profiles of workers
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { makeDir } = require('../support/files')
const { lastLine, PACKAGE, ROOT, run } = require('../support/threads')

/** Node.js 20 cannot: there a block has its duration. */
const isAble = 'startCpuProfile' in Worker.prototype
const skip = isAble ? false : 'no worker.startCpuProfile()'

/** What blocks for about half a second, and the functions that may be named. */
const TASKS = {
  js: `function spread (n) {
  let sum = 0
  for (let i = 0; i < n; i++) sum += Math.sqrt(i)
  return sum
}
function task () {
  const end = Date.now() + 500
  let sum = 0
  while (Date.now() < end) sum += spread(1e5)
  return sum
}`,
  native: `const { pbkdf2Sync } = require('node:crypto')
let iterations = 0
function task () {
  const from = Date.now()
  if (iterations === 0) {
    pbkdf2Sync('a', 'b', 50000, 32, 'sha512')
    iterations = Math.round(50000 * 500 / (Date.now() - from))
  }
  return pbkdf2Sync('a', 'b', iterations, 32, 'sha512')
}`,
  gc: `function task () {
  const end = Date.now() + 500
  let kept = []
  while (Date.now() < end) {
    kept.push({ a: [1, 2], b: {} })
    if (kept.length > 5e5) kept = []
  }
}`
}

/** @param {string} source */
const again = (source) => `${source}\nsetInterval(() => { task() }, 700)`

const START = `const agent = require(${PACKAGE}).start({ port: 0, log: false })`

describe('lines of worker threads', { concurrency: 1 }, () => {
  for (const [cause, source] of Object.entries(TASKS)) {
    test(`a thread that blocks again has the function and the cause: ${cause}`, { skip }, async (t) => {
      const file = path.join(makeDir(t), 'worker.js')
      fs.writeFileSync(file, again(source))
      const { block, lines } = lastLine(await run(t, `${START}
        new Worker(${JSON.stringify(file)})
        find(({ frame }) => ['task', 'spread'].includes(frame?.function), ofWorkers)
          .then(async (block) => done({ block, lines: (await ofWorkers()).flatMap(({ frame }) => frame ?? []) }))`))
      // A machine that is short of CPUs is a cause as well, keeps samples of collections away, and lets a collection
      // sleep until V8's helpers have run.
      assert.ok([cause, 'starved', ...(cause === 'gc' ? ['js', 'sync-io'] : [])].includes(block.cause), block.cause)
      assert.equal(block.frame.file, file)
      // With few samples the caller may be named, in doubt.
      const certain = lines.filter((/** @type {{ exact: boolean }} */ { exact }) => exact)
      assert.ok(certain.every((/** @type {any} */ frame) => ['task', 'spread'].includes(frame.function)), JSON.stringify(lines))
      assert.ok(block.profile.stacks.length > 0)
      assert.equal(block.samples, 0)
    })
  }

  test('a long block has its function while it is in progress, though its thread has never blocked before', { skip }, async (t) => {
    const { block } = lastLine(await run(t, `${START}
      const source = ${JSON.stringify(`function inner () { let sum = 0; for (let i = 0; i < 1e6; i++) sum += i % 3; return sum }
setTimeout(function task () { for (const end = Date.now() + 15000; Date.now() < end;) inner() }, 300)`)}
      work(source)
      find(({ ongoing, profile }) => ongoing && profile !== null, ofWorkers).then((block) => done({ block }))`))
    assert.ok(block.durationMs < 15000)
    assert.ok(block.profile.samples > 0)
  })

  test('a thread that waits in Atomics.wait() does not block, and the process ends while one is profiled', { skip }, async (t) => {
    const { code, signal, stdout } = await run(t, `${START}
      work('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000)')
      work('const end = Date.now() + 2400; while (Date.now() < end);')
      setTimeout(async () => {
        const waits = (await ofWorkers()).filter(({ durationMs }) => durationMs > 3000)
        console.log(JSON.stringify(waits))
      }, 5000)`)
    assert.deepEqual([code, signal], [0, null])
    assert.match(stdout, /^\[\]$/m)
  })

  test('a worker that another one started has its duration, with the preload', { skip }, async (t) => {
    const busy = 'setInterval(() => { const end = Date.now() + 400; while (Date.now() < end); }, 600)'
    const nested = `const { Worker } = require('node:worker_threads'); new Worker(${JSON.stringify(busy)}, { eval: true })`
    const { block } = lastLine(await run(t, `const agent = require(${PACKAGE}).start()
      work(${JSON.stringify(nested)})
      find(({ ongoing, startup, durationMs }) => !ongoing && !startup && durationMs >= 300, ofWorkers).then((block) => done({ block }))`,
    ['-r', path.join(ROOT, 'lib', 'register.js')]))
    assert.deepEqual([block.frame, block.samples], [null, 0])
  })

  test("profile: 'off' takes none", { skip }, async (t) => {
    const { off } = lastLine(await run(t, `
      const agent = require(${PACKAGE}).start({ port: 0, log: false, profile: 'off' })
      const busy = 'setTimeout(() => { const end = Date.now() + 1800; while (Date.now() < end); }, 200)'
      ;(async () => {
        work(busy)
        const off = await find(({ ongoing, durationMs }) => !ongoing && durationMs > 1000, ofWorkers)
        done({ off })
      })()`))
    assert.deepEqual([off.frame, off.profile], [null, null])
  })
})
