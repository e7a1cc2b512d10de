'use strict'

// The load driver against real servers, and what the scenarios with servers decide on plain data.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const goroutinesCell = require('../../scenarios/goroutines/cell')
const go = require('../../scenarios/goroutines/go')
const { Context } = require('../../scenarios/harness/run/context')
const { eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { findGo } = require('../support/scenarios/go')

test('a run whose cheap requests under load fail is an error, not a p99 of the others', { skip: process.platform === 'win32' }, async (t) => {
  const file = path.join(makeDir(t), 'server')
  fs.writeFileSync(file, `#!${process.execPath}
    const answers = { '/work': '42', '/sched': '{"bounds":[1],"counts":[1,1]}' }
    require('node:http').createServer((request, response) => {
      const path = request.url.split('?')[0]
      if (path === '/health' && process.uptime() > 1) response.writeHead(500)
      response.end(answers[path])
    }).listen(0, '127.0.0.1', function () { console.log(JSON.stringify({ url: 'http://127.0.0.1:' + this.address().port })) })`, { mode: 0o755 })
  const cell = { variant: 'go-goroutines', params: { kernel: 'float', workMs: 1, users: 2 }, module: '', data: { way: 'goroutines', size: 1 } }
  const shared = { goServer: file, port: 0, steps: { float: { 1: 7 } }, bodies: { 'float 7': '42' } }
  const context = new Context({ cell, mode: 'quick', seconds: 2, warmUpSeconds: 0, shared }, null, () => {})
  await assert.rejects(goroutinesCell.run(context), /requests to \/health failed/)
})

test('a build of the Go server that is ended in the middle leaves nothing behind', async (t) => {
  const command = findGo(t)
  if (command === null) return
  const [dir, cache] = [makeDir(t), makeDir(t)]
  const { TMPDIR, GOCACHE } = process.env
  Object.assign(process.env, { TMPDIR: dir, GOCACHE: cache })
  t.after(() => {
    for (const [name, value] of Object.entries({ TMPDIR, GOCACHE })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  const ending = new AbortController()
  const building = assert.rejects(go.buildServer(command, ending.signal))
  await eventually(() => fs.readdirSync(dir, { recursive: true }).some((name) => /go-build\d+.b\d+/.test(String(name))), 'go to compile')
  ending.abort()
  await building
  await eventually(() => fs.readdirSync(dir).length === 0, () => `nothing: ${fs.readdirSync(dir)}`)
})
