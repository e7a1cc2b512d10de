'use strict'
/* eslint-disable no-extend-native */

const test = require('node:test')
const assert = require('node:assert/strict')
const { setTimeout: sleep } = require('node:timers/promises')
const { watchModules } = require('../../../../../lib/host/work/http/frameworks/modules')

test('an application that has replaced methods of strings is not ended by the search for its modules', async (t) => {
  const { lastIndexOf } = String.prototype
  let calls = 0
  t.after(() => { String.prototype.lastIndexOf = lastIndexOf })
  const watch = watchModules([{ file: ['nowhere', 'index.js'], onFound: () => {} }])
  t.after(() => watch.stop())
  String.prototype.lastIndexOf = () => {
    calls++
    throw new Error('replaced')
  }
  await sleep(50)
  String.prototype.lastIndexOf = lastIndexOf
  assert.ok(calls > 0, 'it has searched')
})
