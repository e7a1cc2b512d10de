'use strict'

// Takes a minute: clinic, 0x and V8's profiler run for real, and Chromium opens their reports.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { cpuTree } = require('../../lib/cli/profile/cpu-report')
const { startNode, eventually, FIXTURES } = require('../support/app')
const { openPage, startBrowser } = require('../support/browser')
const { makeDir } = require('../support/files')
const { nodeOf } = require('../support/nodes')

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')
const APP = path.join(FIXTURES, 'profiled.js')
const ES_MODULE = path.join(FIXTURES, 'profiled.mjs')

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
      assert.equal(code, /ERR_(OPTION|TARGET)\)/.test(stderr) ? 2 : 1, `${stdout}\n${stderr}`)
      return stderr
    },
    /** What the application says when it listens. */
    up: () => eventually(() => /^\{"event":"up".*\}$/m.exec(run.out.stdout) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{"event":"up".*\}$/m.exec(run.out.stdout))[0]), () => `the application: ${run.out.stdout} ${run.out.stderr}`)
  }
}

test('the real tools make a report that shows what it should, and leave nothing in the application\'s folder', { timeout: 150000, concurrency: 2 }, async (t) => {
  const browser = await startBrowser(t)
  const typeScript = path.join(makeDir(t), 'app.ts')
  fs.writeFileSync(typeScript, `const app: string = ${JSON.stringify(APP)}\nrequire(app)\n`)
  /** Two at a time, since they mostly compute on one core. @type {[string, string, RegExp][]} */
  const cases = [
    ['bubbleprof', APP, /async operations/i],
    ['flame', ES_MODULE, /(culprit|anonymous)[^]*profiled\.js/],
    ['doctor', /** @type {any} */ (process.features).typescript ? typeScript : APP, /Event Loop Delay/],
    ['heapprofiler', ES_MODULE, /biggest allocation/],
    ['0x', APP, /profiled\.js/],
    ['cpu', APP, /culprit/]
  ]
  await Promise.all(cases.map(([tool, app, shows]) => t.test(`${tool}, ${path.extname(app)}`, async (t) => {
    const run = startProfile(t, [tool, '--no-open', '--on-port', '/?ms=5', '--seconds', '1', '--output', 'my reports', '--', 'node', app, 'a b', "it's"])
    const file = await run.report()
    const { cwd, args, preloaded } = await run.up()
    assert.deepEqual([fs.realpathSync(cwd), args, preloaded], [fs.realpathSync(run.cwd), ['a b', "it's"], null])
    assert.match(run.out.stderr, /load on http:\/\/localhost:\d+\/\?ms=5: [1-9]\d* requests, 0 failed/)
    assert.ok(file.startsWith(path.join(fs.realpathSync(run.cwd), 'my reports', `${tool}-`)), file)
    assert.deepEqual(fs.readdirSync(run.cwd), ['my reports'])
    if (browser === null) return
    const { page, context } = await openPage(browser, pathToFileURL(file).href, {
      viewport: { width: 1200, height: 800 }
    })
    await eventually(async () => shows.test(`${await page.locator('body').innerText()} ${tool === '0x' ? await page.content() : ''}`), () => `${file} to show ${shows}`, 30000)
    await context.close()
  })))
})

test('Ctrl-C gives the report also of an application that ends by it at once, and nothing is overwritten', async (t) => {
  const cwd = makeDir(t)
  fs.mkdirSync(path.join(cwd, 'reports', 'cpu-of-mine'), { recursive: true })
  const run = startProfile(t, ['cpu', '--no-open', '--output', 'reports', '--', APP], { cwd, env: { TEST_MODE: 'handles' } })
  await run.up()
  run.child.kill('SIGINT')
  // As it comes under npx, from the terminal and from npm.
  setTimeout(() => run.child.kill('SIGINT'), 20)
  const file = await run.report()
  assert.deepEqual(fs.readdirSync(path.join(cwd, 'reports')).sort(), [path.basename(path.dirname(file)), 'cpu-of-mine'])
  assert.ok(fs.existsSync(file))
})

test('Ctrl-C before the application has started ends it as well', { skip: process.platform === 'win32' }, async (t) => {
  const node = path.join(makeDir(t), 'node')
  fs.writeFileSync(node, `#!/bin/sh\necho begun\nsleep 1\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  const run = startProfile(t, ['cpu', '--no-open', '--deadline', '20', '--', node, APP])
  await eventually(() => run.out.stdout.includes('begun'), 'its shell')
  run.child.kill('SIGINT')
  assert.ok(fs.existsSync(await run.report()))
})

test('what the shell of a load command has started ends with the load, and with the application', { timeout: 30000, skip: process.platform === 'win32' }, async (t) => {
  const folder = makeDir(t)
  const once = path.join(folder, 'app.js')
  fs.writeFileSync(once, "require('node:http').createServer((_, response) => response.end(() => process.exit())).listen(0, '127.0.0.1')\n")
  for (const [app, args] of /** @type {[string, string[]][]} */ ([[APP, ['--seconds', '1']], [once, []]])) {
    const pids = path.join(folder, path.basename(app, '.js'))
    const load = `sleep 60 & echo $! > '${pids}'; '${process.execPath}' -e 'fetch("http://127.0.0.1:" + process.env.PORT).catch(() => {})'; wait`
    await startProfile(t, ['cpu', '--no-open', ...args, '--on-port', load, '--', 'node', app]).report()
    const pid = Number(fs.readFileSync(pids, 'utf8'))
    await eventually(() => { try { return !process.kill(pid, 0) } catch { return true } }, 'the end of what the load had started')
  }
})

for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  test(`an application that is profiled ends and has its report when nobody reads ${name} any more`, async (t) => {
    const app = path.join(makeDir(t), 'app.js')
    fs.writeFileSync(app, `console.log(JSON.stringify({ event: 'up', pid: process.pid }))\nsetInterval(() => { process.${name}.write('a line\\n') }, 100)\nprocess.on('SIGTERM', () => setTimeout(process.exit, 1500))\n`)
    const run = startProfile(t, ['cpu', '--no-open', '--seconds', '20', '--', 'node', app])
    const { pid } = await run.up()
    run.child[name]?.destroy()
    const { code, stderr } = await run.closed
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stderr, /EPIPE/)
    assert.throws(() => process.kill(pid, 0))
    const [output] = fs.readdirSync(path.join(run.cwd, 'loopwatch-profiles'))
    assert.ok(fs.existsSync(path.join(run.cwd, 'loopwatch-profiles', output, 'profile.html')))
  })
}

test('cpu profiles a loop that is stuck, and names it', async (t) => {
  const run = startProfile(t, ['cpu', '--no-open', '--seconds', '1', '--', 'node', APP], { env: { TEST_MODE: 'stuck' } })
  const file = await run.report()
  const { tree, hot } = cpuTree(JSON.parse(fs.readFileSync(path.join(path.dirname(file), 'profile.cpuprofile'), 'utf8')))
  assert.equal(hot[0].name, 'culprit')
  assert.ok(tree.value > 200, `${tree.value} ms`)
  assert.match(fs.readFileSync(file, 'utf8'), /profiled\.js:\d+/)
})

test('an application that reads its input, one that ends by itself, ES modules and TypeScript are profiled', async (t) => {
  const dir = makeDir(t)
  const source = async (/** @type {string} */ name, /** @type {string} */ code, node = process.execPath) => {
    fs.writeFileSync(path.join(dir, name), code)
    return fs.readFileSync(await startProfile(t, ['cpu', '--no-open', '--', 'node', `./${name}`], { cwd: dir, node }).report(), 'utf8')
  }
  const reads = startProfile(t, ['cpu', '--no-open', '--', 'node', APP], { env: { TEST_MODE: 'stdin' } })
  reads.up().then(() => reads.child.stdin?.end('text'))
  const node = nodeOf(24)
  const [, esModule, typeScript] = await Promise.all([
    reads.report(),
    source('app.mjs', "import fs from 'node:fs'\nconst begin = process.cpuUsage()\nwhile (process.cpuUsage(begin).system < 700_000) fs.existsSync('/')\n"),
    node && source('app.ts', 'function typed (us: number): void { const begin = process.cpuUsage(); while (process.cpuUsage(begin).user < us); }\ntyped(700_000)\n', node)
  ])
  assert.match(esModule, /app\.mjs:1</, [...esModule.matchAll(/[\w.]+\.m?js:\d+/g)].join(' '))
  if (typeScript !== null) assert.match(typeScript, /typed/)
})

test('what cannot be profiled is refused with a code that says what to do instead', async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'primary.js'), "const cluster = require('node:cluster')\nif (cluster.isPrimary) cluster.fork()\nelse setInterval(() => {}, 1000)\n")
  fs.writeFileSync(path.join(dir, 'file'), '')
  fs.writeFileSync(path.join(dir, 'app.js'), '')
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['doctor', '--no-open', '--', 'node', './primary.js'], /node:cluster.*loopwatch run.*LOOPWATCH_ERR_CLUSTER/],
    [['cpu', '--no-open', '--', 'npm', 'start'], /such as 'node app\.js', got "npm start".*LOOPWATCH_ERR_TARGET/],
    [['cpu'], /LOOPWATCH_ERR_TARGET/],
    [['cpu', '--', 'node', './missing.js'], /the application could not start: there is no file .*missing\.js.*LOOPWATCH_ERR_START/],
    [['flames', '--', './app.js'], /doctor, flame, bubbleprof.*LOOPWATCH_ERR_OPTION/],
    [['cpu', '--output', 'file', '--', './app.js'], /--output cannot write .*file.*LOOPWATCH_ERR_OUTPUT/],
    // Below it a folder is said not to be there that is.
    [['cpu', '--output', '/proc/nothing/reports', '--', './app.js'], /--output cannot write .*nothing.*LOOPWATCH_ERR_OUTPUT/]
  ]
  await Promise.all(
    cases.map(async ([args, says]) => assert.match(await startProfile(t, args, { cwd: dir }).error(), says))
  )
  assert.deepEqual(fs.readdirSync(path.join(dir, 'loopwatch-profiles')), [])
})

/**
 * A package clinic in a folder, whose command is a script.
 * @param {import('node:test').TestContext} t
 * @param {string} script
 */
function fakeClinic (t, script) {
  const dir = makeDir(t)
  const folder = path.join(dir, 'node_modules', 'clinic')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "name": "clinic", "bin": { "clinic": "bin.js" } }')
  fs.writeFileSync(path.join(folder, 'bin.js'), script)
  return dir
}

test('a tool that hangs, one that fails, and a report of nothing are errors', async (t) => {
  const runTarget = "const { spawnSync } = require('node:child_process'); const args = process.argv.slice(process.argv.indexOf('--') + 1); spawnSync(args[0], args.slice(1), { stdio: 'inherit' })"
  const hangs = startProfile(t, ['doctor', '--no-open', '--deadline', '1', '--', 'node', '-e', '0'], { cwd: fakeClinic(t, `${runTarget}; setInterval(() => {}, 1000)`) })
  const fails = startProfile(t, ['flame', '--no-open', '--', 'node', '-e', '0'], { cwd: fakeClinic(t, "console.error('no such thing'); process.exit(4)") })
  const empty = startProfile(t, ['heapprofiler', '--no-open', '--', 'node', '-e', 'process.exit(7)'], {
    cwd: fakeClinic(t, `${runTarget}; const fs = require('node:fs'); const dest = process.argv.find((arg) => arg.startsWith('--dest=')).slice(7); fs.writeFileSync(dest + '/1.clinic-heapprofiler', ''); fs.writeFileSync(dest + '/1.clinic-heapprofiler.html', 'x'.repeat(20000))`)
  })
  assert.match(await hangs.error(), /did not end within 1 s \(--deadline\).*LOOPWATCH_ERR_NO_REPORT/)
  assert.match(await fails.error(), /exit code 4.*was not started; its output:\nno such thing\n.*LOOPWATCH_ERR_NO_REPORT/s)
  assert.match(await empty.error(), /its data is empty \(1\.clinic-heapprofiler\); the application ended with exit code 7/)
})
