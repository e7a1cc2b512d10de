'use strict'

// runtime: built-ins that are replaced
const test = require('node:test')
const assert = require('node:assert/strict')
const os = require('node:os')
const path = require('node:path')
const { AGAIN } = require('../support/again')
const { startNode, FIXTURES } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))

/** @param {string} stdout */
const said = (stdout) => stdout.split('\n').filter((line) => line.includes('"event":"degraded"'))
  .map((line) => JSON.parse(line).reason).filter((reason) => reason !== 'profile')

/**
 * What an agent reports after `lock`, and what stop() leaves.
 * @param {import('node:test').TestContext} t
 * @param {string} lock run before the package is loaded
 * @param {string} isRight whether a record has what the test is about: a busy machine may need more than one block
 */
async function locked (t, lock, isRight) {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    ${lock}
    const { start } = require(${PACKAGE})
    const agent = start({ port: false })
    const isSame = start() === agent
    function hold () { for (const end = performance.now() + 200; performance.now() < end;); }
    ${AGAIN}
    agent.ready.then(async () => {
      const blocks = await again(() => setTimeout(hold, 100), ${isRight})
      await agent.stop()
      const next = start({ port: false, log: false })
      const durations = blocks.map(({ durationMs }) => durationMs)
      const functions = blocks.map(({ frame }) => frame?.function)
      process.stderr.write(JSON.stringify({ isSame, isNew: next !== agent, durations, functions }))
      await next.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  const { isSame, isNew, durations, functions } = JSON.parse(stderr)
  assert.deepEqual({ isSame, isNew }, { isSame: true, isNew: true })
  assert.ok(durations.some((/** @type {number} */ ms) => ms >= 190), `${durations}`)
  return { stdout, functions }
}

test('an application that lets nobody add to its globals has lines', async (t) => {
  const { stdout, functions } = await locked(t, 'Object.preventExtensions(globalThis)', "({ frame }) => frame?.function === 'hold'")
  assert.ok(functions.includes('hold'), `${functions}`)
  assert.deepEqual(said(stdout), [])
})

test('an application that locks its globals and their prototype has durations, and the log says what is missing', async (t) => {
  const { stdout } = await locked(t, `
    Object.preventExtensions(Object.getPrototypeOf(globalThis))
    Object.preventExtensions(globalThis)`, '({ durationMs }) => durationMs >= 190')
  assert.deepEqual(said(stdout), ['inspector'])
})

test('a test runner that searches for leaked globals finds none', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const before = Reflect.ownKeys(globalThis)
    const agent = require(${PACKAGE}).start({ port: false, log: false })
    agent.ready.then(async () => {
      console.log(Reflect.ownKeys(globalThis).filter((key) => !before.includes(key)).length)
      await agent.stop()
    })`]).closed
  assert.equal(stdout, '0\n', stderr)
})

/** @param {import('node:test').TestContext} t @param {string[]} args @param {Record<string, string>} [env] */
async function otherContext (t, args, env) {
  const { code, stdout, stderr } = await startNode(t, [...args, 'other-context.js'], { env }).closed
  assert.equal(code, 0, stderr)
  // The log of a preload goes there as well.
  return { ...JSON.parse(stderr.slice(stderr.indexOf('{"isSame"')).split('\n')[0]), stdout }
}

test('with a require() that has no cache, as single executable applications have it, it has lines', async (t) => {
  const { isSame, isNew, durations, files, metrics, stdout } = await otherContext(t, [])
  assert.deepEqual({ isSame, isNew }, { isSame: true, isNew: true })
  assert.ok(durations.some((/** @type {number} */ ms) => ms >= 190), `${durations}`)
  assert.deepEqual(said(stdout), [])
  assert.match(metrics, /http_request_duration_seconds_count\{.*\} 1/)
  assert.ok(files.includes(path.join(FIXTURES, 'other-context.js')), `${files}`)
})

test('in a context of its own, as Jest gives each test file, start() begins nothing, and finds the agent of the process', async (t) => {
  const env = { CONTEXT: 'own', LOOPWATCH_PORT: '0', LOOPWATCH_LOG_FILE: os.devNull }
  assert.deepEqual(await otherContext(t, [], env), { isSame: true, isNew: false, durations: [], files: [], metrics: '', stdout: '' })
  const preloaded = await otherContext(t, ['-r', path.join(__dirname, '..', '..', 'lib', 'register.js')], env)
  assert.ok(preloaded.files.includes(path.join(FIXTURES, 'other-context.js')), `${preloaded.files}`)
})

test('start() throws nothing at an application that adds a `get` to what every object has', async (t) => {
  const script = `
    const { start } = require(${PACKAGE})
    Object.prototype.get = function (key) { return this[key] }
    const agent = start({ port: false, log: false })
    agent.ready.then(() => {
      console.log(start() === agent)
      return agent.stop()
    })`
  for (const each of [`new (require('node:worker_threads').Worker)(${JSON.stringify(script)}, { eval: true })`, script]) {
    const { code, stdout, stderr } = await startNode(t, ['-e', each]).closed
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'true\n', stderr: '' })
  }
})

test('an application that puts a browser\'s `process` in place of its own has its lines', async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const { exit } = process
    const agent = require(${PACKAGE}).start({ port: false, log: false })
    globalThis.process = { env: {}, browser: true, nextTick: queueMicrotask }
    function compute () {
      for (const end = performance.now() + 200; performance.now() < end;);
    }
    ${AGAIN}
    const isOf = ({ frame }) => frame?.function === 'compute'
    agent.ready.then(() => again(() => setTimeout(compute, 100), isOf)).then((blocks) => {
      console.log(JSON.stringify(blocks.map(({ frame }) => frame?.function)))
      exit()
    })`]).closed
  assert.match(stdout, /"compute"/, stderr)
})

test('such an application starts processes, is warned and has its origins as ever', async (t) => {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    const { execPath } = process
    const { start } = require(${PACKAGE})
    const agent = start({ port: false, log: false, origin: 'on' })
    globalThis.process = { env: {} }
    start({ threshold: 20 })
    require('node:child_process').spawn(execPath, ['-e', '0'])
    agent.ready.then(() => setTimeout(function compute () {
      for (const end = performance.now() + 200; performance.now() < end;);
      setTimeout(async () => {
        const blocks = await agent.blocks()
        console.log(JSON.stringify(blocks.flatMap(({ origin }) => origin?.type ?? [])))
        await agent.stop()
      }, 700)
    }, 100))`]).closed
  assert.deepEqual({ code, stdout }, { code: 0, stdout: '["Timeout"]\n' }, stderr)
  assert.match(stderr, /LOOPWATCH_WARN_STARTED/)
})
