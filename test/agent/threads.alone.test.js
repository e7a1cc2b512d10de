'use strict'

// Takes half a minute: nobody is spoken to within a second of a worker thread's beginning, and two pools in turn stand
// idle. What hangs on timing, or takes all CPUs, of worker threads with threads: 'on'.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { CRUNCH, CRUNCHER, lastLine, PACKAGE, QUIET, ROOT, run, STAY } = require('../support/threads')

test('a process that ends at any moment around an injection keeps its code and says nothing more', async (t) => {
  for (const source of [STAY, 'for (;;);']) {
    const outs = await Promise.all([1030, 1060, 1100].map((ms) => run(t, `
      require(${PACKAGE}).start(${QUIET})
      for (let i = 0; i < 3; i++) work('${source}')
      setTimeout(() => process.exit(3), ${ms})`)))
    for (const out of outs) assert.deepEqual(out, { code: 3, signal: null, stdout: '', stderr: '' })
  }
})

test('threads that end by themselves, by exit or by an error while others are asked abort nothing', async (t) => {
  const out = await startNode(t, [path.join(ROOT, 'scenarios', 'overhead', 'checks', 'thread-ends.js'), 'on'], { env: { SECONDS: '4' } }).closed
  assert.deepEqual([out.code, out.signal, out.stderr], [0, null, ''])
  const [ended, asked] = (out.stdout.match(/\d+/g) ?? []).map(Number)
  assert.ok(ended > 20 && asked > 100, out.stdout)
})

test('a piscina pool works; its idle workers, asleep in Atomics.wait, are no blocks, a long task is one', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'task.js'), `module.exports = function task (ms) { ${CRUNCH}; crunch(ms); return ms }`)
  for (const atomics of ['sync', 'disabled']) {
    const { idle, results, block, left } = lastLine(await run(t, `
      const { Piscina } = require(${JSON.stringify(require.resolve('piscina'))})
      const agent = require(${PACKAGE}).start(${QUIET})
      const pool = new Piscina({ filename: ${JSON.stringify(path.join(dir, 'task.js'))}, minThreads: 8, maxThreads: 8, atomics: '${atomics}' })
      const ofPool = async () => (await agent.blocks()).filter(({ thread, startup }) => thread !== 'main' && !startup)
      setTimeout(async () => {
        const since = Date.now()
        await sleep(1500)
        const idle = (await ofPool()).filter(({ startedAt, durationMs, cause }) =>
          Date.parse(startedAt) + durationMs >= since && !['starved', 'suspended'].includes(cause))
        const results = await Promise.all(Array.from({ length: 200 }, (_, i) => pool.run(i % 2)))
        const running = []
        const again = setInterval(() => running.push(pool.run(500).catch(() => {})), 1000)
        const block = await find(({ thread, frame, ongoing, durationMs }) => thread === 'worker.js' && frame?.function === 'crunch' && !ongoing && durationMs >= 300)
        clearInterval(again)
        // A worker that is ended in the moment in which it is asked may lose its termination, as the docs say.
        await Promise.all(running)
        await agent.stop()
        await pool.destroy()
        done({ idle, results: results.length, block, left: pool.threads.length })
      }, 2000)`))
    // A busy machine may add one.
    assert.ok(idle.length <= 2, `blocks of idle workers, ${atomics}: ${JSON.stringify(idle)}`)
    assert.deepEqual({ results, left }, { results: 200, left: 0 })
    assert.ok(block.durationMs + block.uncertaintyMs >= 300, JSON.stringify(block))
  }
})

test('worker threads started before and after start() are found, one that blocks from its first line too', async (t) => {
  const { threads } = lastLine(await run(t, `
    work(${CRUNCHER}, { name: 'early' })
    setTimeout(async () => {
      globalThis.agent = require(${PACKAGE}).start(${QUIET})
      work(${CRUNCHER}, { name: 'later' })
      work(${JSON.stringify(`${CRUNCH}\nfunction top () { crunch(60000) }\ntop()\n${STAY}`)}, { name: 'first' })
      const threads = {}
      for (const name of ['early', 'later', 'first']) threads[name] = (await find(({ thread, frame }) => thread === name && frame)).frame.function
      done({ threads })
    }, 100)`))
  assert.deepEqual(threads, { early: 'crunch', later: 'crunch', first: 'crunch' })
})
