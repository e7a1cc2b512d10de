'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { startNode } = require('../support/app')
const { makeDir } = require('../support/files')

const REGISTER = path.join(__dirname, '..', '..', 'lib', 'register.js')
/** It blocks several times, since the watchdog begins with the first block, and late on a busy machine. */
const APP = 'for (const ms of [300, 900, 1500, 2500, 3500, 5000]) setTimeout(function hold () { if (ms === 5000) return; const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); }, ms)\n'

/** @param {{ stdout: string, stderr: string }} out */
const linesOf = ({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))

test('an application is watched without a change in its code, by -r or by NODE_OPTIONS', async (t) => {
  const file = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(file, APP)
  for (const [args, env] of /** @type {[string[], Record<string, string>][]} */ ([[['-r', REGISTER], {}], [[], { NODE_OPTIONS: `--require "${REGISTER}"` }]])) {
    const out = await startNode(t, [...args, file], { env: { LOOPWATCH_PORT: '0', ...env } }).closed
    assert.equal(out.code, 0)
    const ended = linesOf(out).find(({ event, frame }) => event === 'settled' && frame?.function === 'hold')
    assert.equal(ended?.frame.line, 1, JSON.stringify(out))
  }
})
