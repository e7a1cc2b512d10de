'use strict'

// Takes half a minute on a new machine, where Go builds its pprof first.
// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { collect, formats } = require('../../lib/export/profiles/profiles')
const { startApp, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { blocks, selfMs } = require('../support/lib/profiles')
const { needs } = require('../support/tools')

test('pprof: `go tool pprof -top` reads the same times', async (t) => {
  if (!needs(t, 'go')) return
  const file = path.join(makeDir(t), 'blocks.pb.gz')
  // Go builds its pprof when it is first asked for.
  const longestMs = 300_000
  fs.writeFileSync(file, formats.pprof.write(await collect(blocks()), ''))
  const top = (/** @type {string[]} */ ...flags) => {
    const { stdout, stderr, status } = spawnSync('go', ['tool', 'pprof', '-top', '-nodecount=20', ...flags, file], { encoding: 'utf8', timeout: longestMs })
    assert.equal(status, 0, stderr)
    return stdout
  }
  const all = top('-functions')
  assert.match(all, /Type: blocked/)
  assert.match(all, /Total samples = 630ms/)
  assert.match(all, /^\s+400ms\s+63\.49%\s+63\.49%\s+400ms\s+63\.49%\s+sort$/m)
  assert.match(top('-lines'), /^\s+300ms .* sort \/srv\/app\/report\.js:31$/m)
  assert.match(top('-tagfocus=route=GET /report/:id'), /100ms, 15\.87% of 630ms total/)
})

test('the endpoint serves the block that lasts, and each block as a file', async (t) => {
  // Without a profile of V8's own its file is made of the stacks.
  const app = await startApp(t, { options: { profile: 'off' } })
  const answered = app.get('/spin?ms=1500')
  const folded = await eventually(async () => {
    const text = await (await app.watchdog('/profile?format=folded')).text()
    return /spin/.test(text) && text
  }, 'the block in progress in the profile')
  assert.match(folded, /blocks\.js:\d+\) \d+$/m)
  await answered
  const record = await eventually(async () => /** @type {any} */ (await (await app.watchdog('/blocks')).json()).find((/** @type {any} */ { ongoing, durationMs }) => !ongoing && durationMs > 1000), 'the record')
  for (const { ending, type } of Object.values(formats)) {
    const response = await app.watchdog(`/blocks/${record.id}.${ending}`)
    assert.equal(response.status, 200, ending)
    assert.equal(response.headers.get('content-type'), type)
    assert.match(/** @type {string} */ (response.headers.get('content-disposition')), new RegExp(`filename="loopwatch-${record.id}\\.${ending}"$`))
  }
  const self = selfMs(await (await app.watchdog(`/blocks/${record.id}.cpuprofile`)).text())
  const totalMs = Object.values(self).reduce((sum, ms) => sum + ms, 0)
  assert.ok(Math.abs(totalMs - record.durationMs) <= 2, `${totalMs} of ${record.durationMs} ms`)
  assert.equal((await app.watchdog('/blocks/1-999.cpuprofile')).status, 404)
})
