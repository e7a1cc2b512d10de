'use strict'

// The servers of the scenario cluster-http in each topology.
const test = require('node:test')
const assert = require('node:assert/strict')
const path = require('node:path')
const { eventually } = require('../support/app')
const { hasReusePort } = require('../../scenarios/cluster-http/plan')
const { FULL_BODY_BYTES } = require('../../scenarios/cluster-http/database/rows')
const { remoteAgent } = require('../../scenarios/load/target/remote-agent')
const { startServer } = require('../../scenarios/load/target/server')

const SERVER = path.join(__dirname, '..', '..', 'scenarios', 'cluster-http', 'server', 'main.js')
const REQUESTS = 20

for (const [topology, processes] of /** @type {const} */ ([['single', 1], ['cluster', 3], ['cluster-none', 3], ['reuse-port', 3]])) {
  test(`${topology} serves, and says of every worker what it did`, { skip: topology === 'reuse-port' && !hasReusePort() ? 'needs reusePort' : false }, async (t) => {
    const server = await startServer(process.execPath, [SERVER, `--topology=${topology}`, '--workers=2', '--port=0', '--connections=1', '--steps=1', '--threads=0'])
    t.after(() => server.stop())
    assert.equal(new Set(server.ready.pids).size, processes)
    for (let i = 0; i < REQUESTS; i++) {
      const response = await fetch(`${server.ready.url}/static`, { headers: { connection: 'close' } })
      assert.equal((await response.arrayBuffer()).byteLength, FULL_BODY_BYTES)
    }
    const agents = (server.ready.agents ?? []).map(remoteAgent)
    const requests = async () =>
      (await Promise.all(agents.map((agent) => agent.load())))
        .flatMap((load) => Object.values(load))
        .reduce((sum, each) => sum + each.requests, 0)
    // A worker tells its primary once a second.
    await eventually(async () => await requests() === REQUESTS, 'every request to be counted')
  })
}
