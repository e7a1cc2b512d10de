'use strict'

// runtime: built-ins that are replaced
const test = require('node:test')
const assert = require('node:assert/strict')
const { states } = require('../fixtures/start-states')
const { startNode } = require('../support/app')

/** Warnings are what the agent may say: its own, and the line that Node.js adds to the first of a process. */
const WARNING = /^\(node:\d+\) (?:\[LOOPWATCH_\w+\] LoopwatchWarning|ExperimentalWarning): |^\(Use `node --trace-warnings/

/** Processes mostly wait, each for a second. */
const AT_ONCE = 3

/** The end of a script with compute(), on its own timers: on a busy machine no code may be to blame at once. */
const UNTIL_NAMED = `
  const shown = ({ durationMs, frame }) => [durationMs > 190 && durationMs < 10_000, frame?.function]
  const look = async (left) => {
    const blocks = (await agent.blocks()).filter(({ startup }) => !startup)
    if (left > 0 && !blocks.some(({ frame }) => frame?.function === 'compute')) {
      compute()
      return setTimeout(look, 700, left - 1)
    }
    console.log(JSON.stringify(blocks.map(shown)))
    await agent.stop()
  }
  agent.ready.then(() => setTimeout(look, 300, 20))`

/** @param {import('node:test').TestContext} t @param {string} name @param {'agent' | 'bare'} how */
async function outcomeOf (t, name, how) {
  const { flags = [] } = states[name]
  const { code, stdout, stderr } = await startNode(t, [...flags, 'start-states.js', name, how]).closed
  const own = stderr.split('\n').filter((/** @type {string} */ line) => !WARNING.test(line))
  return { name, code, stdout, stderr: own.join('\n').replace(/\(node:\d+\)/g, '(node)') }
}

test('whatever was done to the globals, a program with the agent prints and ends as it does without', { concurrency: AT_ONCE }, async (t) => {
  assert.ok(Object.keys(states).length >= 30)
  await Promise.all(Object.keys(states).map((name) => t.test(name, async (t) => {
    const bare = await outcomeOf(t, name, 'bare')
    assert.notEqual(bare.code, null, 'the program ends by itself')
    assert.deepEqual(await outcomeOf(t, name, 'agent'), bare)
  })))
})

test('with fake timers installed before start(), the agent watches nothing and warns once', async (t) => {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    const { setTimeout } = globalThis
    require(${JSON.stringify(require.resolve('@sinonjs/fake-timers'))}).install({ toNotFake: ['nextTick', 'queueMicrotask'] })
    const { start } = require(${JSON.stringify(require.resolve('../..'))})
    const agent = start({ port: false })
    const isSame = start() === agent
    setTimeout(async () => {
      console.log(isSame, (await agent.blocks()).length, (await agent.ready).url)
      await agent.stop()
    }, 300)`]).closed
  assert.deepEqual({ code, stdout }, { code: 0, stdout: 'true 0 null\n' }, stderr)
  assert.deepEqual(stderr.match(/LOOPWATCH_WARN_\w+/g), ['LOOPWATCH_WARN_START'], stderr)
})

test('fake timers installed after start(), with hrtime and performance, leave blocks their length and line', async (t) => {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    const { setTimeout } = globalThis
    const now = process.hrtime.bigint
    const agent = require(${JSON.stringify(require.resolve('../..'))}).start({ port: false, log: false })
    require(${JSON.stringify(require.resolve('@sinonjs/fake-timers'))}).install({ toNotFake: ['nextTick', 'queueMicrotask'] })
    function compute () {
      for (const end = now() + 200_000_000n; now() < end;);
    }
    ${UNTIL_NAMED}`]).closed
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.match(stdout, /\[true,"compute"\]/)
})

test('a clock of hrtime alone that is replaced before it: blocks have their length and line', async (t) => {
  const { code, stdout, stderr } = await startNode(t, ['-e', `
    const now = performance.now.bind(performance)
    process.hrtime = () => [0, 0]
    process.hrtime.bigint = () => 0n
    const agent = require(${JSON.stringify(require.resolve('../..'))}).start({ port: false, log: false })
    function compute () {
      for (const end = now() + 200; now() < end;);
    }
    ${UNTIL_NAMED}`]).closed
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.match(stdout, /\[true,"compute"\]/)
})
