'use strict'

// With `dir`, a process says that the one before it ended in the middle of a block.
const { describe, test } = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { readBlocks } = require('../../lib/store/block-file')
const { eventually, startApp, startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { parseExposition, valueOf } = require('../support/exposition')

const ROOT = path.join(__dirname, '..', '..')

/** A process that was killed in a block. @param {import('node:test').TestContext} t @param {string} dir */
async function killInBlock (t, dir) {
  const app = await startApp(t, { options: { dir } })
  app.get('/forever').catch(() => {}) // Nobody answers it.
  const isThere = () => readBlocks(dir).records.some(({ ongoing, durationMs, frame }) =>
    ongoing && durationMs >= 1000 && frame?.function === 'forever')
  await eventually(isThere, 'a record of a second')
  app.child.kill('SIGKILL')
  await app.closed
  return /** @type {number} */ (app.child.pid)
}

/** @param {Awaited<ReturnType<typeof startApp>>} app */
const counted = async (app) => valueOf(parseExposition(await (await app.watchdog('/metrics')).text()).samples,
  'loopwatch_predecessors_ended_in_block', {})
/** @param {{ lines: () => any[] }} app */
const told = ({ lines }) => lines().filter(({ event }) => event === 'predecessor')

/** A folder /dev of its own, in which Kubernetes' file is. */
const OWN_DEV = `mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9 &&
echo mine > /dev/termination-log && "$@"; cat /dev/termination-log >&2`
const mayMount = process.platform === 'linux' && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/dev']).status === 0

// They wait most of their time.
describe('the process before this one', { concurrency: 3 }, () => {
  test('the process after one that was killed in a block says so, once', async (t) => {
    const dir = makeDir(t)
    const pid = await killInBlock(t, dir)
    const [next, beside] = await Promise.all([startApp(t, { options: { dir } }), startApp(t, { options: { dir } })])
    await eventually(() => told(next).length + told(beside).length > 0, () => `the line; the logs: ${next.out.stdout}${beside.out.stdout}`)
    // Both have looked for the second time by then.
    await sleep(2000)
    const [line, ...more] = [...told(next), ...told(beside)]
    assert.deepEqual(more, [])
    assert.equal(line.of, pid)
    assert.ok(line.durationMs >= 1000, `${line.durationMs}`)
    assert.match(line.msg, new RegExp(`^a previous process \\(pid ${pid}\\) ended [\\d.]+ s into a block(?::|, .* of it by) .*forever \\(.*blocks\\.js:\\d+\\).*, GET /forever \\((?:js|starved)\\)$`))
    assert.equal(await counted(next) + await counted(beside), 1)
    const { records } = readBlocks(dir)
    assert.equal(records.filter(({ id }) => id === line.block).length, 1, 'the record stays')

    const third = await startApp(t, { options: { dir } })
    await sleep(4000)
    assert.deepEqual(told(third), [])
    assert.equal(await counted(third), 0)
  })

  test('a process that is still blocked, or came out of its block, is not reported by the next one', async (t) => {
    const dir = makeDir(t)
    const living = await startApp(t, { options: { dir } })
    const ended = await startApp(t, { options: { dir } })
    await ended.get('/nextTickStorm?ms=1500')
    const over = () => readBlocks(dir).records.some((record) => !record.ongoing && record.durationMs >= 1400)
    await eventually(over, 'the block that is over')
    living.get('/forever').catch(() => {}) // Nobody answers it.
    const going = () => readBlocks(dir).records.some(({ ongoing, durationMs }) => ongoing && durationMs >= 1000)
    await eventually(going, 'the block of the living one')
    ended.child.kill('SIGKILL')
    await ended.closed
    await sleep(3000)
    const next = await startApp(t, { options: { dir } })
    await sleep(4000)
    assert.deepEqual(told(next), [])
    assert.equal(await counted(next), 0)
  })

  test('Kubernetes learns why a stuck process ends', { skip: !mayMount }, async (t) => {
    const app = `require(${JSON.stringify(ROOT)}).start({ port: false, log: false, stuck: 2000, onStuck: 'abort' }).ready
      .then(() => setTimeout(function hang () { for (;;); }, 300))`
    const node = process.env.TEST_NODE ?? process.execPath
    const { closed } = startNode(t, ['-m', 'sh', '-c', `ulimit -c 0; ${OWN_DEV}`, 'sh', node, '-e', app], { node: 'unshare' })
    const { stderr } = await closed
    assert.match(stderr, /^mine\nloopwatch: event loop blocked for [\d.]+ (?:s|ms) so far(?::|, .* of it by) (?:≈ )?hang \(.*\).* \((?:js|starved)\)$/m)
    assert.equal(fs.existsSync('/dev/termination-log'), false)
  })
})
