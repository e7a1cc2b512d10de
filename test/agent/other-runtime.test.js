'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { findTool } = require('../../lib/cli/profile/profilers')
const { FIXTURES, startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const APP = path.join(FIXTURES, 'other-runtime.js')
const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
/** What the application sees there. */
const UNWATCHED = { isSame: true, url: null, sum: 7, blocks: [], metrics: '', refused: 'LOOPWATCH_ERR_UNWATCHED' }

/** @param {{ code: number, stdout: string, stderr: string }} ended @param {RegExp} runtime */
function assertRefused ({ code, stdout, stderr }, runtime) {
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), UNWATCHED)
  const said = stderr.split('\n').filter((line) => line.includes('loopwatch'))
  assert.equal(said.length, 1, stderr)
  assert.match(said[0], /\[LOOPWATCH_ERR_RUNTIME\] LoopwatchWarning: loopwatch does not watch this process: only Node\.js is supported, and this is /)
  assert.match(said[0], runtime)
}

/**
 * Runs a file on Node.js that says it is another runtime.
 * @param {import('node:test').TestContext} t @param {object} versions @param {string[]} args
 */
function pretend (t, versions, args) {
  const preload = path.join(makeDir(t), 'pretend.cjs')
  fs.writeFileSync(preload, `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } })`)
  return startNode(t, ['-r', preload, ...args], { env: { LOOPWATCH_ONLY: '*' } }).closed
}

for (const [name, as] of /** @type {[string, object][]} */ ([['Bun', { bun: '1.4.5' }], ['Deno', { deno: '2.9.6' }]])) {
  test(`on what says that it is ${name}, one warning says that nothing is watched, and the application runs`, async (t) => {
    assertRefused(await pretend(t, as, [APP]), new RegExp(`this is ${name} ${Object.values(as)[0]}$`))
  })

  test(`a preload there says it once, and prints nothing on stdout: ${name}`, async (t) => {
    const { code, stdout, stderr } = await pretend(t, as, ['-r', REGISTER, '-e', 'console.log("done")'])
    assert.deepEqual([code, stdout], [0, 'done\n'], stderr)
    assert.equal(stderr.match(/LOOPWATCH_\w+/g)?.join(), 'LOOPWATCH_ERR_RUNTIME', stderr)
  })

  test(`${name} itself`, async (t) => {
    const program = findTool([name.toLowerCase()])
    if (program === null) return t.skip(`needs ${name} on the PATH`)
    assertRefused(await startNode(t, [...name === 'Deno' ? ['run', '-A', '--unstable-detect-cjs'] : [], APP], { node: program, env: { DENO_NO_UPDATE_CHECK: '1' } }).closed, new RegExp(name))
  })
}
