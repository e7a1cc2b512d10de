'use strict'

// The primary's side against pretend workers, good and bad, over real sockets.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { addressOf } = require('../../lib/cluster/address')
const { connect, startPrimary } = require('../support/lib/cluster-primary')

test('a socket file that a dead process has left is taken over', async (t) => {
  const tmpdir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-test-'))
  const address = addressOf({ tmpdir, pid: process.pid })
  fs.mkdirSync(path.dirname(address), { mode: 0o700 })
  spawnSync(process.execPath, ['-e', `require('node:net').createServer().listen(${JSON.stringify(address)}, () => process.kill(process.pid, 'SIGKILL'))`])
  assert.ok(fs.existsSync(address), 'the dead left its file')
  const first = startPrimary(t, tmpdir)
  await first.listening()
  await (await connect(address)).join()
  assert.equal(first.primary.state.workers.answering, 1)
})
