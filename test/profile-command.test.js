'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { cpuTree } = require('../lib/tools/profile/cpu-tree')
const { startNode, eventually, FIXTURES } = require('./support/app')
const { openPage, startBrowser } = require('./support/browser')
const { makeDir } = require('./support/files')
const { nodeOf } = require('./support/nodes')

const CLI = path.join(__dirname, '..', 'lib', 'cli', 'main.js')
const APP = path.join(FIXTURES, 'profiled.js')

/**
 * `loopwatch profile` in a folder of its own.
 * @param {import('node:test').TestContext} t
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, node?: string, cwd?: string, stdio?: any }} [setup]
 */
function startProfile (t, args, { cwd = makeDir(t), ...setup } = {}) {
  const run = startNode(t, [CLI, 'profile', ...args], { cwd, ...setup })
  return {
    ...run,
    cwd,
    report: async () => {
      const { code, stdout, stderr } = await run.closed
      assert.equal(code, 0, `${stdout}\n${stderr}`)
      return /** @type {RegExpExecArray} */ (/^report: (.+)$/m.exec(stdout))[1]
    },
    error: async () => {
      const { code, stdout, stderr } = await run.closed
      assert.equal(code, 2, `${stdout}\n${stderr}`)
      return stderr
    },
    /** What the application says when it listens. */
    up: () => eventually(() => /^\{"event":"up".*\}$/m.exec(run.out.stdout) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{"event":"up".*\}$/m.exec(run.out.stdout))[0]), () => `the application: ${run.out.stdout} ${run.out.stderr}`)
  }
}

test('the real tools make a report that shows what it should, and leave nothing in the application\'s folder', { timeout: 150000 }, async (t) => {
  const browser = await startBrowser(t)
  /** Half of them on each of two lines of Node.js. @type {[string, number, RegExp][]} */
  const cases = [
    ['cpu', 20, /culprit/],
    ['doctor', 24, /Event Loop Delay/],
    ['flame', 20, /(culprit|anonymous)[^]*profiled\.js/],
    ['bubbleprof', 24, /async operations/i],
    ['heapprofiler', 20, /biggest allocation/],
    ['0x', 24, /profiled\.js/]
  ]
  for (const [tool, version, shows] of cases) {
    await t.test(`${tool} on Node.js ${version}`, async (t) => {
      const node = nodeOf(version)
      if (node === null) return t.skip(`needs Node.js ${version}`)
      const run = startProfile(t, [tool, '--no-open', '--on-port', '/?ms=5', '--seconds', '1', '--output', 'my reports', '--', 'node', APP, 'a b', "it's"], { node })
      const file = await run.report()
      const { cwd, args, preloaded } = await run.up()
      assert.deepEqual([fs.realpathSync(cwd), args, preloaded], [fs.realpathSync(run.cwd), ['a b', "it's"], null])
      assert.match(run.out.stderr, /load on http:\/\/localhost:\d+\/\?ms=5: [1-9]\d* requests, 0 failed/)
      assert.ok(file.startsWith(path.join(fs.realpathSync(run.cwd), 'my reports', `${tool}-`)), file)
      assert.deepEqual(fs.readdirSync(run.cwd), ['my reports'])
      if (browser === null) return
      const { page, context } = await openPage(browser, pathToFileURL(file).href, { viewport: { width: 1200, height: 800 } })
      await eventually(async () => shows.test(`${await page.locator('body').innerText()} ${tool === '0x' ? await page.content() : ''}`), () => `${file} to show ${shows}`)
      await context.close()
    })
  }
})

test('Ctrl-C gives the report also of an application that ends by it at once, and nothing is overwritten', async (t) => {
  const cwd = makeDir(t)
  const files = []
  for (let i = 0; i < 2; i++) {
    const run = startProfile(t, ['cpu', '--no-open', '--output', 'reports', '--', APP], { cwd, env: { TEST_MODE: 'handles' } })
    await run.up()
    run.child.kill('SIGINT')
    // As it comes under npx, from the terminal and from npm.
    setTimeout(() => run.child.kill('SIGINT'), 20)
    files.push(await run.report())
  }
  assert.notEqual(files[0], files[1])
  for (const file of files) assert.ok(fs.existsSync(file))
})

test('cpu profiles a loop that is stuck, and names it', async (t) => {
  const run = startProfile(t, ['cpu', '--no-open', '--seconds', '2', '--', 'node', APP], { env: { TEST_MODE: 'stuck' } })
  const file = await run.report()
  const { tree, hot } = cpuTree(JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'profile.cpuprofile'), 'utf8')))
  assert.equal(hot[0].name, 'culprit')
  assert.ok(tree.value > 500, `${tree.value} ms`)
  assert.match(fs.readFileSync(file, 'utf8'), /profiled\.js:\d+/)
})

test('an application that reads its input, one that ends by itself, ES modules and TypeScript are profiled', async (t) => {
  const reads = startProfile(t, ['cpu', '--no-open', '--', 'node', APP], { env: { TEST_MODE: 'stdin' } })
  await reads.up()
  reads.child.stdin?.end('text')
  await reads.report()
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'app.mjs'), "import fs from 'node:fs'\nconst end = Date.now() + 200; while (Date.now() < end) fs.existsSync('/')\n")
  assert.match(fs.readFileSync(await startProfile(t, ['cpu', '--no-open', '--', './app.mjs'], { cwd: dir }).report(), 'utf8'), /app\.mjs:1</)
  fs.writeFileSync(path.join(dir, 'app.ts'), 'function typed (ms: number): void { const end = Date.now() + ms; while (Date.now() < end); }\ntyped(200)\n')
  const node = nodeOf(24)
  if (node === null) return
  const file = await startProfile(t, ['cpu', '--no-open', '--', 'node', './app.ts'], { cwd: dir, node }).report()
  assert.match(fs.readFileSync(file, 'utf8'), /typed/)
})

test('what cannot be profiled is refused with a code that says what to do instead', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'primary.js'), "const cluster = require('node:cluster')\nif (cluster.isPrimary) cluster.fork()\nelse setInterval(() => {}, 1000)\n")
  assert.match(await startProfile(t, ['doctor', '--no-open', '--', 'node', './primary.js'], { cwd: dir }).error(), /node:cluster.*loopwatch run.*LOOPWATCH_ERR_CLUSTER/)
  assert.match(await startProfile(t, ['cpu', '--no-open', '--', 'npm', 'start']).error(), /'node app\.js' or 'app\.js', got "npm start".*LOOPWATCH_ERR_TARGET/)
  assert.match(await startProfile(t, ['cpu']).error(), /LOOPWATCH_ERR_TARGET/)
  assert.match(await startProfile(t, ['flames', '--', 'app.js']).error(), /doctor, flame, bubbleprof.*LOOPWATCH_ERR_OPTION/)
  fs.writeFileSync(path.join(dir, 'file'), '')
  assert.match(await startProfile(t, ['cpu', '--output', 'file', '--', 'app.js'], { cwd: dir }).error(), /--output cannot write .*file.*LOOPWATCH_ERR_OUTPUT/)
  assert.deepEqual(fs.readdirSync(path.join(dir, 'loopwatch-profiles')), [])
})

/** A package clinic in a folder, whose command is a script. @param {import('node:test').TestContext} t @param {string} script */
function fakeClinic (t, script) {
  const dir = makeDir(t)
  const folder = path.join(dir, 'node_modules', 'clinic')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "clinic", "bin": { "clinic": "bin.js" } }')
  fs.writeFileSync(path.join(folder, 'bin.js'), script)
  return dir
}

test('a tool that hangs, one that fails, and a report of nothing are told', async (t) => {
  const runTarget = "const { spawnSync } = require('node:child_process'); const args = process.argv.slice(process.argv.indexOf('--') + 1); spawnSync(args[0], args.slice(1), { stdio: 'inherit' })"
  const hangs = startProfile(t, ['doctor', '--no-open', '--deadline', '1', '--', 'node', '-e', '0'], { cwd: fakeClinic(t, `${runTarget}; setInterval(() => {}, 1000)`) })
  assert.match(await hangs.error(), /did not end within 1 s \(--deadline\).*LOOPWATCH_ERR_NO_REPORT/)
  const fails = startProfile(t, ['flame', '--no-open', '--', 'node', '-e', '0'], { cwd: fakeClinic(t, "console.error('no such thing'); process.exit(4)") })
  assert.match(await fails.error(), /exit code 4.*was not started; it said:\nno such thing\n.*LOOPWATCH_ERR_NO_REPORT/s)
  const empty = startProfile(t, ['heapprofiler', '--no-open', '--', 'node', '-e', 'process.exit(7)'], {
    cwd: fakeClinic(t, `${runTarget}; const fs = require('node:fs'); const dest = process.argv.find((arg) => arg.startsWith('--dest=')).slice(7); fs.writeFileSync(dest + '/1.clinic-heapprofiler', ''); fs.writeFileSync(dest + '/1.clinic-heapprofiler.html', 'x'.repeat(20000))`)
  })
  assert.match(await empty.error(), /its data is empty \(1\.clinic-heapprofiler\); the application ended with exit code 7/)
})
