'use strict'

// What hangs on timing, or takes all CPUs, of worker threads.
// runtime: worker threads
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { CRUNCH, lastLine, PACKAGE, ROOT, run } = require('../support/threads')

test('a main thread that is blocked makes no blocks of its workers, and theirs are known when it is not any more', async (t) => {
  const { calm, busy } = lastLine(await run(t, `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const worker = work(${JSON.stringify(`${CRUNCH}\nrequire('node:worker_threads').parentPort.on('message', crunch)`)})
    ;(async () => {
      await sleep(1500)
      // On a busy machine there are shorter ones.
      const long = async () => (await ofWorkers()).filter(({ durationMs }) => durationMs > 1000).length
      const before = await long()
      crunch(1500)
      await sleep(300)
      const calm = await long() - before
      worker.postMessage(1500)
      await sleep(300)
      crunch(700)
      done({ calm, busy: await find(({ ongoing, durationMs, uncertaintyMs }) => !ongoing && durationMs + uncertaintyMs >= 1499, ofWorkers) })
    })()`))
  assert.equal(calm, 0)
  assert.ok(busy.durationMs > 1000, JSON.stringify(busy))
})

test('an idle worker of a piscina pool is not blocked, one with a long task is', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'task.js'), `module.exports = function task (ms) { ${CRUNCH}; crunch(ms); return ms }`)
  const { idle, results, named } = lastLine(await run(t, `
    const { Piscina } = require(${JSON.stringify(require.resolve('piscina'))})
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const pool = new Piscina({ filename: ${JSON.stringify(path.join(dir, 'task.js'))}, minThreads: 4, maxThreads: 4 })
    setTimeout(async () => {
      // On a busy machine there are shorter ones.
      const long = async () => (await ofWorkers()).filter(({ durationMs }) => durationMs >= 300).length
      const before = await long()
      await sleep(1500)
      const idle = await long() - before
      const results = await Promise.all(Array.from({ length: 100 }, (_, i) => pool.run(i % 2)))
      const again = setInterval(() => pool.run(500).catch(() => {}), 1000)
      const isLong = ({ ongoing, startup, durationMs }) => !ongoing && !startup && durationMs >= 300
      // Node.js 20 has no profiles of threads.
      const named = await find((block) => isLong(block) && (block.frame !== null || !('startCpuProfile' in Worker.prototype)), ofWorkers)
      clearInterval(again)
      await pool.destroy()
      done({ idle, results: results.length, named })
    }, 2000)`))
  assert.ok(idle <= 1, `${idle} blocks of idle workers`) // a starved machine may add one
  assert.equal(results, 100)
  const { frame } = named
  assert.ok(frame === null || ['task', 'crunch'].includes(frame.function), JSON.stringify(frame))
  assert.equal(named.package, null)
  assert.deepEqual([named.work?.kind, named.work?.name], ['task', 'task.js'], 'the file of the pool')
})

test('worker threads end in all ways while they are watched: nothing aborts', async (t) => {
  const { stdout, stderr } = await startNode(t, [path.join(ROOT, 'scenarios', 'overhead', 'checks', 'thread-ends.js'), '4'], { env: { SECONDS: '2' } }).closed
  assert.match(stdout, /^0 of 4 processes ended by a signal \(.*\{"code 0":4\}\)\n$/, stderr)
})
