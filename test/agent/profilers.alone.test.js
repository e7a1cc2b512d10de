'use strict'

// The agent's CPU profile beside those that an application takes of itself.
// runtime: V8's CPU profiler
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const v8 = require('node:v8')
const { ownsProfile } = require('../../lib/host/runtime')
const { startNode, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')

const LINE = fs.readFileSync(path.join(FIXTURES, 'profilers.js'), 'utf8').split('\n').findIndex((text) => text.endsWith('// here')) + 1
const EXACT = { line: LINE, exact: true, call: 'JSON.parse' }

/**
 * @param {import('node:test').TestContext} t
 * @param {string} profiler
 * @param {string[]} [flags]
 * @param {Record<string, string>} [env]
 */
async function run (t, profiler, flags = [], env = {}) {
  const { stdout, stderr, code } = await startNode(t, [...flags, 'profilers.js'], { env: { ...env, PROFILER: profiler } }).closed
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' }, stdout)
  return JSON.parse(stdout)
}

for (const profiler of ['inspector', 'datadog', ...('startCpuProfile' in v8 ? ['v8'] : [])]) {
  test(`an application that profiles itself (${profiler}) gets its profile, and blocks have their lines before, during and after it`, async (t) => {
    assert.deepEqual(await run(t, profiler), { before: EXACT, beside: EXACT, after: EXACT, isInOwn: true })
  })

  test(`an application that has profiled itself since before the agent's start (${profiler}) has its profile, and so have blocks their lines`, async (t) => {
    assert.deepEqual(await run(t, profiler, [], { FIRST: '1' }), { before: EXACT, beside: EXACT, after: EXACT, isInOwn: true })
  })
}

test('under --cpu-prof and while coverage is counted the agent takes no profile by the inspector, and Node.js prints nothing about one', async (t) => {
  const dir = makeDir(t)
  const ways = /** @type {[string[], Record<string, string>][]} */ ([[['--cpu-prof', `--cpu-prof-dir=${dir}`], {}], [[], { NODE_V8_COVERAGE: dir }]])
  const said = await Promise.all(ways.map(([flags, env]) => run(t, ownsProfile() ? 'nobody' : 'none', flags, env)))
  for (const { before } of said) {
    if (ownsProfile()) assert.deepEqual(before, EXACT)
    else assert.equal(before.call, undefined)
  }
  const files = fs.readdirSync(dir)
  const { nodes } = JSON.parse(fs.readFileSync(path.join(dir, String(files.find((file) => file.endsWith('.cpuprofile')))), 'utf8'))
  assert.ok(nodes.some((/** @type {any} */ { callFrame }) => callFrame.functionName === 'parse'))
  assert.ok(files.some((file) => file.startsWith('coverage-')), `${files}`)
})

test('regular expressions on the application\'s thread have no backslash or quote, which V8 24 writes as they are into its profiles', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const { exec } = RegExp.prototype
    const sources = new Set()
    RegExp.prototype.exec = function (text) {
      const isOurs = new Error().stack.includes('/lib/host/')
      if (isOurs && (this.source.includes('\\\\') || this.source.includes('"'))) sources.add(this.source)
      return exec.call(this, text)
    }
    const agent = require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: 0, log: false })
    const server = require('node:http').createServer((request, response) => {
      for (const endMs = Date.now() + 100; Date.now() < endMs;);
      response.end()
    }).listen(0, async () => {
      await agent.ready
      await (await fetch('http://127.0.0.1:' + server.address().port + '/a/12')).text()
      RegExp.prototype.exec = exec
      console.log(JSON.stringify([...sources]))
      agent.stop()
      server.close()
    })`]).closed
  assert.equal(stdout.trim(), '[]', stderr)
})
