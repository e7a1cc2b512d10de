'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { readBlocks } = require('../../lib/store/block-file')
const { startApp, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { valueOf, parseExposition } = require('../support/exposition')

test('an endless loop is named, /metrics and /healthz answer meanwhile, and the record outlives SIGKILL', async (t) => {
  const dir = makeDir(t)
  const app = await startApp(t, { options: { dir } })
  app.get('/forever').catch(() => {}) // Nobody answers it.
  // On a busy machine the first line may be of the time that it waited for a CPU; others follow.
  await app.line(({ event, request, frame }) =>
    /^(opened|lasting)$/.test(event) && request?.route === '/forever' && frame?.function === 'forever', 'the block')

  const inProgress = async () => valueOf(parseExposition(await (await app.watchdog('/metrics')).text()).samples, 'loopwatch_block_in_progress_seconds', {})
  await eventually(async () => await inProgress() > 0.5, 'the gauge to grow')
  assert.equal((await app.watchdog('/healthz')).status, 503)

  await eventually(() => readBlocks(dir).records.some(({ frame }) => frame?.function === 'forever'), 'its record')
  app.child.kill('SIGKILL')
  await app.closed
  const record = readBlocks(dir).records.find(({ frame }) => frame?.function === 'forever')
  assert.equal(record?.ongoing, true)
})
