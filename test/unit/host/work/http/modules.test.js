'use strict'
/* eslint-disable no-extend-native */

// runtime: diagnostics channels of loaded modules
const test = require('node:test')
const assert = require('node:assert/strict')
const diagnosticsChannel = require('node:diagnostics_channel')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { watchModules } = require('../../../../../lib/host/work/http/frameworks/modules')
const { eventually } = require('../../../../support/app')

test('an application that has replaced methods of strings is not ended by the search for its modules', async (t) => {
  const { lastIndexOf } = String.prototype
  let calls = 0
  t.after(() => { String.prototype.lastIndexOf = lastIndexOf })
  const watch = watchModules([{ file: ['nowhere', 'index.js'], onModule: () => {} }])
  t.after(() => watch.stop())
  String.prototype.lastIndexOf = () => {
    calls++
    throw new Error('replaced')
  }
  await sleep(50)
  String.prototype.lastIndexOf = lastIndexOf
  assert.ok(calls > 0, 'it has searched')
})

test('many new servers in an application of many modules cost a few searches, and miss no module', async (t) => {
  let searches = 0
  let found = 0
  const names = Array.from({ length: 2500 }, (_, i) => path.resolve(`/srv/node_modules/package-${i}/lib/index.js`))
  t.after(() => { for (const name of names) delete require.cache[name] })
  const put = (/** @type {string} */ name, /** @type {any} */ module) => { require.cache[name] = module }
  for (const name of names) put(name, { loaded: true, exports: {} })
  put(names[0], { get loaded () { return ++searches > Infinity }, exports: {} })
  const watch = watchModules([
    { file: ['package-0', 'lib', 'index.js'], onModule: () => {} },
    { file: ['framework', 'index.js'], onModule: () => { found++ } }
  ])
  t.after(() => watch.stop())
  await eventually(() => searches > 0, 'the search once the entry has run')
  const connect = () => diagnosticsChannel.channel('net.server.socket').publish({ socket: { server: {} } })
  for (let i = 0; i < 300; i++) connect()
  assert.ok(searches < 30, `${searches} searches`)
  names.push(path.resolve('/srv/node_modules/framework/index.js'))
  put(names[2500], { loaded: true, exports: {} })
  connect()
  await eventually(() => found === 1, 'the module loaded since, without another connection')
})
