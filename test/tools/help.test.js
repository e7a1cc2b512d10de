'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const path = require('node:path')
const { promisify } = require('node:util')
const { causes } = require('../../lib/tables/causes')

const run = promisify(execFile)
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const COMMANDS = ['run', 'test', 'blocks', 'mcp', 'doctor', 'docs', 'attach', 'profile', 'diagnose', 'stack', 'demo', 'scenario']

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

test('docs lists what the package has of documents, prints one, and refuses others by their names', async () => {
  const { stdout } = await run(process.execPath, [CLI, 'docs'])
  const names = stdout.trim().split('\n').map((line) => line.split(' ')[0])
  for (const name of [...Object.keys(causes).map((cause) => `causes/${cause}`), 'operate/runbook', 'use/options']) assert.ok(names.includes(name), name)
  assert.match((await run(process.execPath, [CLI, 'docs', 'causes/gc'])).stdout, /^# gc: /)
  await assert.rejects(run(process.execPath, [CLI, 'docs', '../package']), { code: 2, stderr: /docs takes one of .*causes\/js.*LOOPWATCH_ERR_OPTION/ })
})
