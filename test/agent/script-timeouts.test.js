'use strict'

// runtime: timeouts of node:vm
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { AGAIN } = require('../support/again')
const { startNode } = require('../support/app')

const PACKAGE = JSON.stringify(path.join(__dirname, '..', '..'))
/** What the watchdog asks takes so long here that every script would end in the middle of it. */
const SLOW = `
  const { probe } = agent
  agent.probe = (...args) => { const end = performance.now() + 30; while (performance.now() < end); probe(...args) }`
const SCRIPTS = `
  const vm = require('node:vm')
  const codes = []
  for (const timeout of [60, 71, 82, 93, 104]) {
    try {
      vm.runInNewContext('while (true) {}', {}, { timeout })
    } catch ({ code }) {
      codes.push(code)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }`

test('scripts of node:vm end at their timeout', { skip: !fs.existsSync('/proc/self/task') && 'needs /proc' }, async (t) => {
  const { stdout, stderr, code } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false })
    const { stackTraceLimit, prepareStackTrace } = Error
    ${AGAIN}
    agent.ready.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      ${SLOW}
      ${SCRIPTS}
      const hold = () => { const end = Date.now() + 200; while (Date.now() < end); }
      const isSampled = ({ durationMs, samples }) => durationMs >= 199 && samples > 0
      const last = await again(() => setTimeout(hold, 10), isSampled)
      console.log(JSON.stringify({
        codes: [...new Set(codes)],
        count: codes.length,
        isErrorAsBefore: Error.stackTraceLimit === stackTraceLimit && Error.prepareStackTrace === prepareStackTrace,
        samples: last.some(isSampled)
      }))
      agent.stop()
    })`]).closed
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { codes: ['ERR_SCRIPT_EXECUTION_TIMEOUT'], count: 5, isErrorAsBefore: true, samples: true })
})

test('a script with a timeout is JavaScript, and its request is named in doubt', { skip: !fs.existsSync('/proc/self/task') && 'needs /proc' }, async (t) => {
  const { stdout, stderr } = await startNode(t, ['-e', `
    const agent = require(${PACKAGE}).start({ port: 0, log: false, profile: 'on' })
    const { setTimeout: sleep } = require('node:timers/promises')
    const vm = require('node:vm')
    const sandbox = vm.createContext({})
    const script = new vm.Script('for (const end = Date.now() + 300; Date.now() < end;);', { filename: 'function node' })
    const server = require('node:http').createServer(async (req, res) => {
      if (req.url === '/limited') script.runInContext(sandbox, { timeout: 5000 })
      res.end()
    }).listen(0, '127.0.0.1', async () => {
      const get = (path) => fetch('http://127.0.0.1:' + server.address().port + path).then((res) => res.text())
      await agent.ready
      await get('/')
      await sleep(1500)
      const shown = ({ cause, excused, work, generated }) =>
        [cause === 'starved' && !excused ? 'js' : cause, work?.name, work?.exact, generated?.file]
      const right = JSON.stringify(['js', 'GET /limited', false, 'function node'])
      // The first three, and on a busy machine more.
      let blocks = []
      for (let i = 0; i < 15 && (i < 3 || !blocks.some((block) => JSON.stringify(shown(block)) === right)); i++) {
        await get('/limited')
        await sleep(800)
        blocks = (await agent.blocks()).filter(({ durationMs }) => durationMs >= 300)
      }
      console.log(JSON.stringify(blocks.map(shown)))
      process.exit()
    })`]).closed
  const seen = JSON.parse(stdout)
  assert.ok(seen.length > 0, 'the block is recorded')
  if (seen.every((/** @type {string[]} */ [cause]) => cause === 'starved')) return t.skip('the CPUs are taken')
  const right = JSON.stringify(['js', 'GET /limited', false, 'function node'])
  assert.ok(seen.some((/** @type {unknown} */ each) => JSON.stringify(each) === right), `${stdout} ${stderr}`)
  assert.ok(seen.every((/** @type {string[]} */ [cause]) => cause !== 'native'), stdout)
})
