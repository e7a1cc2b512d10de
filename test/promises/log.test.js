'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { eventually, startApp } = require('../support/app')
const { makeDir } = require('../support/files')

/** What must be nowhere: an application has it in an address, and the agent in its token. */
const SECRET = 'hunter2'

test('the log is one JSON object a line, on stdout or in a file', async (t) => {
  const file = path.join(makeDir(t), 'agent.log')
  const app = await startApp(t, { options: { log: { destination: file } } })
  const lines = () => fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  // No code is to blame for a block while others have the CPUs.
  const line = await eventually(async () => {
    await app.get('/spin?ms=200')
    return lines().find(({ event, request, excused }) => event === 'settled' && request !== null && !excused)
  }, () => fs.readFileSync(file, 'utf8'))
  assert.equal(line.name, 'loopwatch')
  assert.match(line.msg, /event loop was blocked for \d+ ms(?::|, .* of it by) .*spin/)
  assert.equal(app.out.stdout, '')
})

test('query strings and tokens are in nothing that is logged, listed or measured', async (t) => {
  const app = await startApp(t, { options: { token: SECRET } })
  await app.get(`/spin?ms=200&password=${SECRET}`)
  await app.line(({ event, request }) => event === 'settled' && request?.route === '/spin', 'the block')
  const headers = { authorization: `Bearer ${SECRET}` }
  for (const path of ['/blocks', '/metrics', '/flame', '/profile']) {
    const answer = await app.watchdog(path, { headers })
    assert.equal(answer.status, 200, path)
    assert.ok(!(await answer.text()).includes(SECRET), path)
  }
  assert.ok(!app.out.stdout.includes(SECRET))
  assert.equal((await app.watchdog('/blocks')).status, 401)
})
