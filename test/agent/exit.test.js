'use strict'

// A process that exits out of a block, or right after one, still logs and records its end. Its own listeners of 'exit'
// see no handle or timer of the agent.
// runtime: the end of a process
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const HOLD_MS = 500
/** On a busy machine the thread may never run while it is asked, and no code is to blame. */
const TRIES = 4

/** @param {string} dir @param {string} ending */
const appOf = (dir, ending) => `
const held = () => process.getActiveResourcesInfo().filter((name) => /MessagePort|Timeout/.test(name))
require(${JSON.stringify(ROOT)}).start({ port: false, dir: ${JSON.stringify(dir)} }).ready.then(() => {
  setTimeout(function work () {
    const [endMs, from] = [performance.now() + ${HOLD_MS}, process.cpuUsage()]
    while (performance.now() < endMs || process.cpuUsage(from).user < ${HOLD_MS * 500});
    const before = held()
    process.on('exit', () => require('node:fs').writeSync(2, \`held: \${JSON.stringify([before, held()])}\\n\`))
    ${ending}
  }, 300)
})`

const ENDINGS = {
  'process.exit() in the block': 'process.exit(3)',
  'an error that nothing catches': "throw new Error('of the application')",
  'process.exit() right after it': 'setImmediate(() => process.exit(3))'
}

/** @param {import('node:test').TestContext} t @param {string} ending */
async function runToEnd (t, ending) {
  for (let left = TRIES; ; left--) {
    const dir = makeDir(t)
    const file = path.join(dir, 'app.js')
    const records = path.join(dir, 'records')
    fs.writeFileSync(file, appOf(records, ending))
    const { stdout, stderr, code } = await startNode(t, [file]).closed
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line))
    const last = lines.findLast(({ event }) => event === 'settled')
    assert.ok(last, `${stdout}${stderr}`)
    if (last.frame !== null || left === 1) return { last, stderr, code, records }
  }
}

for (const [name, ending] of Object.entries(ENDINGS)) {
  test(`the end of the last block is logged and recorded: ${name}`, async (t) => {
    const { last, stderr, code, records } = await runToEnd(t, ending)
    assert.ok(last.durationMs >= HOLD_MS * 0.9, JSON.stringify(last))
    assert.equal(last.frame?.function, 'work', JSON.stringify(last))
    assert.match(last.msg, /was blocked for/)
    assert.equal(code, ending.startsWith('throw') ? 1 : 3)
    const [before, atExit] = JSON.parse(/^held: (.*)$/m.exec(stderr)?.[1] ?? assert.fail(stderr))
    assert.ok(atExit.length <= before.length && !atExit.includes('MessagePort'), `${before}, then ${atExit}`)
    const written = fs.readdirSync(records).filter((each) => each.endsWith('.ndjson')).flatMap((each) => fs.readFileSync(path.join(records, each), 'utf8').trim().split('\n'))
      .map((line) => JSON.parse(line)).filter(({ id }) => id === last.block)
    assert.equal(written.at(-1)?.ongoing, false, JSON.stringify(written.at(-1)))
  })
}
