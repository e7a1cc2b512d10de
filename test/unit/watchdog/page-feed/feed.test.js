'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { PageFeed } = require('../../../../lib/watchdog/page-feed/feed')
const { resolveOptions } = require('../../../../lib/options/table')
const { createMemory, openBridge } = require('../../../../lib/bridge/memory')

test('the page is sent what does not work, not by which name it is counted, and peers that calls wait for', () => {
  const bridge = openBridge(createMemory())
  const peer = bridge.peers.numberOf('GET api:443')
  for (let i = 0; i < 3; i++) bridge.waits.begin(peer)
  bridge.waits.end(peer, 20)
  const page = new PageFeed({
    options: resolveOptions({}, {}),
    bridge,
    monitor: { state: { activeMs: 0, idleMs: 0, inProgressMs: 0, heartbeatAgeMs: 0 } },
    blocks: { records: () => [], ongoing: [] },
    health: { entries: () => [['profile', true], ['dir', false]] },
    cluster: { blockedMs: null }
  })
  /** @type {string[]} */
  const sent = []
  const write = (/** @type {string} */ text) => sent.push(text)
  page.connect().stream?.(/** @type {any} */ ({ once: () => {}, write, destroy: () => {}, writableLength: 0 }))
  assert.match(sent.join(''), /"degraded":\["no CPU profile is taken: lines of native calls are approximate"\]/)
  assert.match(sent.join(''), /"peers":\[\{"peer":"GET api:443","open":2,"count":1,"sumMs":20\}\]/)
})
