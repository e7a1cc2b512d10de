'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const { causes } = require('../../lib/tables/causes')
const { SLOW_NOW } = require('../../lib/cli/doctor/doctor')
const { makeDir } = require('../support/files')

const run = promisify(execFile)
const ROOT = path.join(__dirname, '..', '..')
const CLI = path.join(ROOT, 'lib', 'cli', 'main.js')
const COMMANDS = ['run', 'test', 'demo', 'blocks', 'doctor', 'attach', 'record', 'view', 'diagnose', 'profile', 'mcp', 'docs', 'scenario']

for (const command of COMMANDS) {
  test(`the help of ${command} has two examples`, async () => {
    const { stdout } = await run(process.execPath, [CLI, command, '--help'])
    const examples = /\nExamples:\n((?: {2}\$ .+\n)+)/.exec(stdout)?.[1] ?? ''
    const lines = examples.split('\n').filter(Boolean)
    assert.ok(lines.length >= 2, stdout)
    for (const line of lines) assert.ok(line.startsWith(`  $ loopwatch ${command}`), line)
  })
}

test('help and --help of a command are the same', async () => {
  for (const args of [[], ['run'], ['demo'], ['scenario']]) {
    const [word, flag] = await Promise.all([['help', ...args], [...args, '--help']].map((each) => run(process.execPath, [CLI, ...each])))
    assert.deepEqual(word, flag)
  }
})

test('the help lists every command that has an example here', async () => {
  const { stdout } = await run(process.execPath, [CLI, '--help'])
  const listed = [...stdout.matchAll(/^ {2}([a-z]+) (?=[[<])/gm)].map(([, name]) => name).filter((name) => name !== 'help')
  assert.deepEqual(listed, COMMANDS)
})

test('the help of scenario says what the installed package lacks, there and in a checkout', async (t) => {
  const installed = makeDir(t)
  for (const name of ['lib', 'package.json']) fs.cpSync(path.join(ROOT, name), path.join(installed, name), { recursive: true })
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'))
  for (const cli of [CLI, path.join(installed, 'lib', 'cli', 'main.js')]) {
    const { stdout } = await run(process.execPath, [cli, 'scenario', '--help'])
    assert.match(stdout, /The installed package lacks[^]*npm ci && npx loopwatch scenario[^]*cli-table3[^]*cargo[^]*hook-calls[^]*Go[^]*goroutines/)
  }
})

test('every usage error ends with 2, in one line that begins with the name of the program', async () => {
  for (const [args, message] of /** @type {[string[], string][]} */ ([
    [['nope'], "unknown command 'nope'"],
    [['help', 'nope'], "unknown command 'nope'"],
    [['run'], "missing required argument 'app'"],
    [['blocks', '--cause', 'x'], "option '--cause <cause>' argument 'x' is invalid"],
    [['doctor', 'a', 'b'], "too many arguments for 'doctor'"],
    [['demo', '--every', 'x'], '--every takes seconds, above 0 and up to 86400, got "x" (LOOPWATCH_ERR_OPTION)'],
    [['demo', '--nope'], "unknown option '--nope'"],
    [['demo', 'extra'], 'too many arguments'],
    [['scenario', '--nope'], "unknown option '--nope'"],
    [['scenario', 'offload', '--quick', '--full'], "option '--quick' cannot be used with option '--full'"],
    [['scenario', '--port', 'x'], '--port takes a whole number from 0 to 65535, got "x" (LOOPWATCH_ERR_OPTION)']
  ])) {
    const { code, stdout, stderr } = await run(process.execPath, [CLI, ...args]).then(() => assert.fail(args.join(' ')), (error) => error)
    assert.deepEqual([code, stdout], [2, ''], `${args.join(' ')}: ${stderr}`)
    assert.ok(stderr.startsWith(`loopwatch: ${message}`), stderr)
    assert.match(stderr, /^[^\n]*(\(LOOPWATCH_ERR_\w+\)|\n\(loopwatch( \w+)? --help lists the \w+\))\n$/)
  }
})

test('a reader that closes the pipe before it is written ends every help and document without a word', { skip: process.platform === 'win32' }, async () => {
  const commands = [...COMMANDS.map((command) => [command, '--help']), ['--help'], ['docs'], ['docs', 'causes/native']]
  for (const args of commands) {
    const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ')
    // The reader is gone before the command has loaded.
    const { stdout, stderr } = await run('bash', ['-c', `(sleep 0.2; ${command}; echo "code $?" >&2) | true`])
    assert.deepEqual([stdout, stderr], ['', 'code 0\n'], args.join(' '))
  }
})

test('docs lists what the package has of documents, prints one, and refuses others by their names', async () => {
  const { stdout } = await run(process.execPath, [CLI, 'docs'])
  const names = stdout.trim().split('\n').map((line) => line.split(' ')[0])
  for (const name of [...Object.keys(causes).map((cause) => `causes/${cause}`), 'operate/slow-now', 'operate/slow-without-a-block', 'operate/runbook', 'use/errors', 'use/options']) assert.ok(names.includes(name), name)
  assert.match((await run(process.execPath, [CLI, 'docs', 'causes/gc'])).stdout, /^# gc: /)
  // As the last row of doctor and attach says.
  const [, ...command] = /(loopwatch) (docs) (.*)/.exec(SLOW_NOW[1])?.slice(1) ?? []
  assert.match((await run(process.execPath, [CLI, ...command])).stdout, /^# Production is slow right now/)
  await assert.rejects(run(process.execPath, [CLI, 'docs', '../package']), { code: 2, stderr: /\[name\] takes one of .*causes\/js.*LOOPWATCH_ERR_OPTION/ })
  for (const [name, meant] of [['causes/natve', 'causes/native'], ['runbok', 'runbook']]) {
    await assert.rejects(run(process.execPath, [CLI, 'docs', name]), { code: 2, stderr: new RegExp(`did you mean ${meant}\\? `) })
  }
})
