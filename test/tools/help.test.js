'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')

const run = promisify(execFile)
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const COMMANDS = ['run', 'test', 'blocks', 'mcp', 'doctor', 'attach', 'profile', 'diagnose', 'stack', 'demo', 'scenario']

for (const command of COMMANDS) {
  test(`the help of ${command} has two examples`, async () => {
    const { stdout } = await run(process.execPath, [CLI, command, '--help'])
    const examples = /\nExamples:\n((?: {2}\$ .+\n)+)/.exec(stdout)?.[1] ?? ''
    const lines = examples.split('\n').filter(Boolean)
    assert.ok(lines.length >= 2, stdout)
    for (const line of lines) assert.ok(line.startsWith(`  $ loopwatch ${command}`), line)
  })
}

test('the help lists every command that has an example here', async () => {
  const { stdout } = await run(process.execPath, [CLI, '--help'])
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) (?=[[<])/gm)].map(([, name]) => name).filter((name) => name !== 'help')
  assert.deepEqual(listed, COMMANDS)
})
