'use strict'

// Advice in a real application: it was wrong or missing for each of these blocks once.
// runtime: names of frames, built-ins that answer interrupts
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const FOLDER = path.join(__dirname, '..', 'fixtures', 'advised')

/** @typedef {import('../../lib/types').BlockRecord & { advice: { kind: string, text: string }[] }} Advised */

/** @param {string} dir */
function installAll (dir) {
  for (const file of fs.readdirSync(path.join(FOLDER, 'packages'))) {
    const folder = path.join(dir, 'node_modules', path.parse(file).name)
    fs.mkdirSync(folder, { recursive: true })
    fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: path.parse(file).name, version: '1.0.0' }))
    fs.copyFileSync(path.join(FOLDER, 'packages', file), path.join(folder, 'index.js'))
  }
}

/** By handler: an advice that one block has, one that none has, and the package at fault. */
const EXPECTED = /** @type {Record<string, { once: RegExp, never?: RegExp, owner?: string, isSure?: boolean }>} */ ({
  plainLoop: { once: /computes for \d+ ms/, never: /await yields/ },
  minified: { once: /^minified computes in one turn/, never: /await yields/, owner: 'minified' },
  awaitingLoop: { once: /^await yields only to other promises/ },
  sameName: { once: /^finder computes in one turn/, never: /^search goes through/, owner: 'finder' },
  manyShort: { once: /^A regular expression runs often or searches a long text/, never: /backtrack/ },
  patternOfPackage: {
    once: /^A regular expression of slow-pattern backtracks, /,
    owner: 'slow-pattern'
  },
  nativeCall: { once: /^pbkdf2Sync (?:\(one call\) )?blocks the loop/, isSure: true },
  loadsLate: { once: /^A module is loaded while the application serves/, never: /readFileSync blocks/ },
  smallTexts: { once: /^tiny-partial computes/, owner: 'tiny-partial' },
  generated: { once: /^maker computes/, owner: 'maker' }
})

test('advice is about what blocked', async (t) => {
  const dir = makeDir(t)
  installAll(dir)
  const { stdout, stderr } = await startNode(t, [path.join(FOLDER, 'app.js')], { cwd: dir }).closed
  /** @type {Record<string, Advised[]>} */
  const all = JSON.parse(stdout.trim().split('\n').at(-1) || assert.fail(stderr))
  for (const [name, { once, never, owner, isSure }] of Object.entries(EXPECTED)) {
    await t.test(name, () => {
      const records = all[name]
      const textsOf = (/** @type {Advised[]} */ some) => some.flatMap(({ advice }) => advice.map(({ text }) => text))
      const shown = JSON.stringify(records.map(({ cause, frame, profile, stacks, advice }) =>
        ({ cause, frame, call: profile?.call, frames: stacks[0]?.frames.slice(0, 3), advice })), null, 1)
      if (never) assert.ok(!textsOf(records).some((text) => never.test(text)), shown)
      // A block that mostly waited for a CPU has few samples.
      const calm = records.filter(({ durationMs, parts }) => Number(parts?.waiting) * 2 < durationMs)
      if (calm.length === 0) return t.diagnostic(`${name}: the machine was too busy`)
      assert.ok(textsOf(calm).some((text) => once.test(text)), shown)
      if (isSure) assert.ok(calm.some(({ request }) => request && request.exact !== false), 'the request is certain')
      if (owner) assert.ok(calm.some(({ package: of }) => of?.name === owner), shown)
    })
  }
})
