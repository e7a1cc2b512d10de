'use strict'

// runtime: how modules are compiled
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')
const { installFor } = require('../support/packages')

const INDEX = path.join(__dirname, '..', '..', 'lib')
/** Types that are gone from what runs, so that no line stays where it was. */
const SOURCE = `interface Row {
  id: number
}

type Rows = Row[]

const agent = require(${JSON.stringify(INDEX)}).start({ port: 0, log: false })
function compute (rows: Rows): void {
  const end: number = performance.now() + 200
  while (performance.now() < end) rows.push({ id: 1 })
}
async function main (): Promise<void> {
  await agent.ready
  const isOf = ({ frame }: any) => frame?.function === 'compute'
  // On a busy machine a block may have no frame.
  for (let i = 0; i < 30 && (await agent.blocks()).filter(isOf).length < 3; i++) {
    compute([])
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await new Promise((resolve) => setTimeout(resolve, 500))
  const blocks = await agent.blocks()
  console.log(JSON.stringify(blocks.filter(isOf).map(({ frame }: any) => frame).reverse()))
  agent.stop()
}
main()
`
const LINE = 10

/**
 * The frames of its blocks, the first one first.
 * @param {import('node:test').TestContext} t
 * @param {string[]} flags
 * @param {string} [name] of its file
 */
async function framesOf (t, flags, name = 'compute.ts') {
  const file = path.join(makeDir(t), name)
  fs.writeFileSync(file, SOURCE)
  const { stdout, stderr } = await startNode(t, [...flags, '-r', path.join(__dirname, '..', 'fixtures', 'compile-in-memory.js'), file]).closed
  assert.match(stdout, /^\[/, stderr)
  return JSON.parse(stdout)
}

test('code that was compiled in memory has its own lines by the end of its first block, when Node.js has told its source map', async (t) => {
  const frames = await framesOf(t, ['--enable-source-maps'])
  assert.ok(frames.length > 1)
  for (const { line, compiled } of frames) assert.deepEqual({ line, compiled }, { line: LINE, compiled: undefined })
})

test('where nobody has its source map, a line of code compiled in memory is in doubt', { skip: Boolean(/** @type {any} */ (process.features).typescript) && 'Node.js compiles it itself, at the same place' }, async (t) => {
  for (const { exact, compiled } of await framesOf(t, [])) {
    assert.deepEqual({ exact, compiled }, { exact: false, compiled: true })
  }
})

test('whatever has compiled a file, JavaScript or not, its lines are its own if source-map-support has its map', async (t) => {
  installFor('test/older-runners')
  const support = path.join(__dirname, '..', 'older-runners', 'node_modules', 'source-map-support')
  for (const name of ['compute.ts', 'compute.js']) {
    const [, ...later] = await framesOf(t, ['-r', support], name)
    assert.ok(later.length > 0)
    const places = later.map((/** @type {any} */ { line, compiled }) => ({ name, line, compiled }))
    assert.deepEqual(places, places.map(() => ({ name, line: LINE, compiled: undefined })))
  }
})
