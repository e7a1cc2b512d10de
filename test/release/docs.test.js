'use strict'

// Longer than half a minute: it runs every command and every block of code in README and docs that can be run. What
// they name is looked at by test/documents.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { eventually } = require('../support/app')
const { commandsIn } = require('../support/docs/commands')
const { blocks, inLanguage, placeOf } = require('../support/docs/for-users')
const { makeWorld, runCode, runCommand, startAgent } = require('../support/docs/world')

const AT_ONCE = 3
const TRIES_MORE = 2
const MOST_RUNS = 10

/** Some at a time, each once. @template T @param {T[]} items @param {(item: T) => Promise<void>} work */
async function each (items, work) {
  const left = [...items]
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }))
}

test('commands do what they say', async (t) => {
  const world = makeWorld(t)
  const { url } = await startAgent(t)
  // On a busy machine the application may have blocked before its agent watches.
  for (let i = 0; i < MOST_RUNS && !fs.existsSync(path.join(world, 'blocks')); i++) {
    const { code, output } = await runCommand(t, world, 'LOOPWATCH_DIR=./blocks node -r loopwatch/register app.js', url)
    assert.equal(code, 0, output)
  }
  await each(inLanguage(['sh'], true), async (block) => {
    const expected = block.mark?.kind === 'exits' ? Number(block.mark.value) : 0
    for (const line of commandsIn(block.text)) {
      const { code, output } = await runCommand(t, world, line, url)
      assert.equal(code, expected, `${placeOf(block)}: ${line}\n${output}`)
    }
  })
})

test('code runs, and blocks where it says so', async (t) => {
  const world = makeWorld(t)
  const isFile = (/** @type {import('../support/docs/markdown').CodeBlock} */ { mark }) => mark?.kind === 'file'
  const all = inLanguage(['js', 'ts'], true)
  // What others of the same page import comes first.
  for (const group of [all.filter(isFile), all.filter((block) => !isFile(block))]) {
    await each(group, async (block) => {
      let { code, output } = await runCode(t, world, block)
      // On a busy machine a single block may go by as `starved`, which names no line.
      for (let again = 0; code !== 0 && block.mark?.kind === 'blocks' && again < TRIES_MORE; again++) ({ code, output } = await runCode(t, world, block))
      assert.equal(code, 0, `${placeOf(block)}\n${output}`)
    })
  }
})

test('the sample of doctor is what doctor prints', async (t) => {
  const { url } = await startAgent(t)
  const world = makeWorld(t)
  // What a busy machine did before the agent watched is not kept.
  const shapes = (/** @type {string} */ text) => text.replace(/\d[\d.:]*/g, '0').replace(/^(not kept +).*/m, '$1').split('\n')
  const sample = shapes(`${blocks.find(({ text }) => text.startsWith('watching '))?.text}`)
  let printed = ''
  // On a busy machine a heartbeat may be late.
  await eventually(async () => {
    printed = (await runCommand(t, world, 'npx loopwatch doctor 127.0.0.1:9464', url)).output
    return sample.every((line) => shapes(printed).includes(line))
  }, () => `${sample.join('\n')} in ${printed}`)
})
