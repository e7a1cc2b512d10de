'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { eventually } = require('../../support/app')
const { connect, startPrimary } = require('../../support/lib/cluster-primary')

test('a socket file that a cleaner has deleted is made again', async (t) => {
  const { primary, address, listening } = startPrimary(t)
  await listening()
  const before = await connect(address)
  await before.join()
  fs.unlinkSync(address)
  await eventually(() => fs.existsSync(address), 'the file to come back')
  await (await connect(address)).join()
  const { answering, silent } = primary.state.workers
  assert.equal(answering + silent, 2, 'nobody was thrown out')
})
