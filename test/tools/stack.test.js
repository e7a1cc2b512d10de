'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const net = require('node:net')
const path = require('node:path')
const { once } = require('node:events')
const { startApp, startNode, eventually } = require('../support/app')
const { makeDir } = require('../support/files')
const { fakeTools, isAlive, startStack } = require('../support/stack')
const { needs } = require('../support/tools')

const ROOT = path.join(__dirname, '..', '..')
const FREE = ['--port', '0', '--grafana-port', '0']

/** @param {import('node:test').TestContext} t */
async function takenPort (t) {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return /** @type {net.AddressInfo} */ (server.address()).port
}

test('a block of 5 s, a real Prometheus: up stays 1, the alert fires while it lasts, Ctrl-C leaves nothing', async (t) => {
  if (!needs(t, 'prometheus')) return
  const app = await startApp(t)
  const stack = startStack(t, ['--target', new URL(app.url).host, '--port', '0', '--interval', '1'])
  const { prometheusUrl } = await stack.running()
  /** @param {string} path @returns {Promise<any>} */
  const ask = async (path) => /** @type {any} */ (await (await fetch(`${prometheusUrl}/api/v1/${path}`)).json()).data
  const value = async (/** @type {string} */ query) => (await ask(`query?query=${encodeURIComponent(query)}`)).result[0]?.value[1]
  await eventually(async () => await value('up') === '1', 'up = 1')

  const startMs = performance.now()
  const answered = app.get('/spin?ms=5000').then(() => performance.now())
  const firing = await eventually(async () => (await ask('alerts')).alerts.find((/** @type {any} */ { labels, state }) => labels.alertname === 'LoopwatchBlocked' && state === 'firing'), 'the alert')
  const firedMs = performance.now()
  assert.match(firing.annotations.description, /a block was seen \d.*s after its start/)
  const answeredMs = await answered
  assert.ok(answeredMs - startMs >= 5000)
  assert.ok(firedMs < answeredMs, 'it fires while the block lasts')
  assert.equal(await value('min_over_time(up[1m])'), '1')
  assert.ok(Number(await value('count_over_time(up[1m])')) >= 3, 'scrapes within the block count')
  await eventually(async () => (await ask('alerts')).alerts.some((/** @type {any} */ { labels }) => labels.alertname === 'LoopwatchLongBlock'), 'the alert of the block that has ended')
  const groups = (await ask('rules')).groups.flatMap((/** @type {any} */ { rules }) => rules)
  assert.deepEqual(groups.filter((/** @type {any} */ { health }) => health !== 'ok'), [])

  stack.child.kill('SIGINT')
  const { code, signal, stderr } = await stack.closed
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' })
  await assert.rejects(fetch(prometheusUrl), 'Prometheus has ended')
  assert.deepEqual(stack.left(), [])
})

test('without Prometheus it says where to get it, and starts nothing', async (t) => {
  const stack = startStack(t, [], { env: { PATH: makeDir(t) } })
  const { code, stderr } = await stack.closed
  assert.equal(code, 1)
  assert.match(stderr, /prometheus is not on the PATH: apt install prometheus.*LOOPWATCH_ERR_TOOL/)
  assert.deepEqual(stack.left(), [])
})

test('a port that was asked for and is taken is refused; a default one makes way', async (t) => {
  const tools = fakeTools(t, ['prometheus', 'grafana'])
  const taken = `${await takenPort(t)}`
  for (const flag of ['--port', '--grafana-port']) {
    const { code, stderr } = await startStack(t, [...FREE, flag, taken], tools).closed
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`${flag} ${taken}: the port is taken.*LOOPWATCH_ERR_PORT`))
  }
  assert.equal(tools.wasStarted('prometheus'), false)
  const { choosePort } = require('../../lib/cli/common/ports')
  const port = await choosePort({ flag: '--port', usual: Number(taken) })
  assert.ok(port > 0 && port !== Number(taken))
})

test('Grafana is started on the provisioning, everyone a viewer, with the addresses of the others', async (t) => {
  for (const name of ['grafana', 'grafana-server']) {
    const tools = fakeTools(t, ['prometheus', name])
    const stack = startStack(t, [...FREE, '--target', '127.0.0.1:1', '--target', 'http://[::1]:2/', '--interval', '7'], tools)
    const { prometheusUrl, grafana } = await stack.running()
    const { args, env } = tools.record(name)
    assert.deepEqual(args, [...(name === 'grafana' ? ['server'] : []), '--homepath', tools.home])
    assert.equal(grafana, `http://127.0.0.1:${env.GF_SERVER_HTTP_PORT}`)
    assert.equal(env.GF_PATHS_PROVISIONING, path.join(ROOT, 'grafana', 'provisioning'))
    assert.deepEqual([env.GF_SERVER_HTTP_ADDR, env.GF_AUTH_ANONYMOUS_ENABLED, env.GF_AUTH_ANONYMOUS_ORG_ROLE], ['127.0.0.1', 'true', 'Viewer'])
    assert.match(env.GF_SECURITY_ADMIN_PASSWORD, /^[0-9a-f]{32}$/)
    assert.deepEqual([env.STACK_PROMETHEUS_URL, env.STACK_AGENT_URL, env.STACK_INTERVAL], [prometheusUrl, 'http://127.0.0.1:1', '7s'])
    assert.equal(env.STACK_DASHBOARDS, path.join(ROOT, 'grafana', 'dashboards'))
    const prometheus = tools.record('prometheus')
    assert.deepEqual(JSON.parse(prometheus.targets), [{ targets: ['127.0.0.1:1', '[::1]:2'] }])
    assert.deepEqual(prometheus.files, ['alerts.yml', 'prometheus.yml', 'recording.yml', 'targets.yml'])

    stack.child.kill('SIGTERM')
    assert.equal((await stack.closed).code, 0)
    for (const tool of [prometheus, tools.record(name)]) assert.equal(isAlive(tool.pid), false)
    assert.deepEqual(stack.left(), [])
  }
})

test('without Grafana it says how to get one', async (t) => {
  const stack = startStack(t, ['--seconds', '1', '--port', '0'], fakeTools(t, ['prometheus']))
  assert.match((await stack.running()).grafana, /^not on the PATH \(.*grafana\.com.*\); dashboards to import: .*dashboards$/)
  assert.equal((await stack.closed).code, 0, 'it ends by itself after --seconds')
})

test('one that ends by itself ends the others, and its last words are passed on', async (t) => {
  const dying = startStack(t, FREE, { env: { ...fakeTools(t, ['prometheus']).env, FAKE: 'dies' } })
  const first = await dying.closed
  assert.equal(first.code, 1)
  assert.match(first.stderr, /Prometheus has ended \(exit code 1\); its output:\nopening storage failed: no space left on device\n.*LOOPWATCH_ERR_TOOL_ENDED/)
  assert.deepEqual(dying.left(), [])

  const tools = fakeTools(t, ['prometheus', 'grafana'])
  const stack = startStack(t, FREE, tools)
  await stack.running()
  process.kill(tools.record('grafana').pid, 'SIGKILL')
  const { code, stderr } = await stack.closed
  assert.equal(code, 1)
  assert.match(stderr, /Grafana has ended \(SIGKILL\)/)
  assert.equal(isAlive(tools.record('prometheus').pid), false)
  assert.deepEqual(stack.left(), [])
})

test('it says who does not answer, be it the application or a tool, and who answers again', async (t) => {
  const tools = fakeTools(t, ['prometheus', 'grafana'])
  const port = Number(await takenPort(t)) + 1
  const stack = startStack(t, [...FREE, '--target', `127.0.0.1:${port}`], tools)
  const says = (/** @type {string} */ text) => eventually(() => stack.out.stderr.includes(text), () => `${text}; it said ${stack.out.stderr}`)
  await stack.running()
  await says(`  127.0.0.1:${port} does not answer: is the application running, and is this the port of its agent?\n`)
  const server = http.createServer((request, response) => response.end()).listen(port, '127.0.0.1')
  t.after(() => server.close().closeAllConnections())
  await says(`  127.0.0.1:${port} answers\n`)
  for (const [name, file] of [['Prometheus', 'prometheus'], ['Grafana', 'grafana']]) {
    process.kill(tools.record(file).pid, 'SIGSTOP')
    await says(`  ${name} does not answer\n`)
    process.kill(tools.record(file).pid, 'SIGCONT')
    await says(`  ${name} answers\n`)
  }
  stack.child.kill('SIGINT')
  assert.equal((await stack.closed).code, 0)
})

test('a second Ctrl-C ends at once what does not want to end', async (t) => {
  const tools = fakeTools(t, ['prometheus'])
  const stack = startStack(t, FREE, { env: { ...tools.env, FAKE: 'stubborn' } })
  await stack.running()
  stack.child.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(stack.child.exitCode, null, 'it waits for its tools')
  stack.child.kill('SIGINT')
  const { code } = await stack.closed
  assert.equal(code, 0)
  assert.equal(isAlive(tools.record('prometheus').pid), false)
  assert.deepEqual(stack.left(), [])
})

test('Ctrl-C while it starts leaves nothing behind', async (t) => {
  const tools = fakeTools(t, ['prometheus'])
  const stack = startStack(t, FREE, tools)
  await eventually(() => tools.wasStarted('prometheus'), 'Prometheus to be started')
  stack.child.kill('SIGINT')
  assert.equal((await stack.closed).code, 0)
  assert.deepEqual(stack.left(), [])
})

test('--demo watches the shop and the queue worker of the demo, and ends them', async (t) => {
  const tools = fakeTools(t, ['prometheus'])
  const stack = startStack(t, ['--demo', ...FREE], tools)
  await stack.running()
  const [{ targets }] = JSON.parse(tools.record('prometheus').targets)
  const answers = targets.map(async (/** @type {string} */ target) => (await fetch(`http://${target}/metrics`)).text())
  const [shop, worker] = (await Promise.all(answers)).map((text) => [text.includes('service="shop"'), text.includes('service="worker"')])
  assert.deepEqual([targets.length, shop.concat(worker).filter(Boolean).length], [2, 2])
  stack.child.kill('SIGINT')
  const { code, stderr } = await stack.closed
  assert.deepEqual([code, stderr], [0, ''])
  for (const target of targets) await assert.rejects(fetch(`http://${target}/metrics`))
})

test('the package has what stack needs, and the demo; where that was taken out stack says so', async (t) => {
  const { stdout } = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32' })
  const packed = JSON.parse(stdout)[0].files.map((/** @type {any} */ { path }) => path)
  for (const file of ['prometheus/prometheus.yml', 'prometheus/recording.yml', 'prometheus/alerts.yml', 'provisioning/datasources/prometheus.yml', 'provisioning/dashboards/loopwatch.yml']) {
    assert.ok(packed.includes(`grafana/${file}`), file)
  }
  assert.deepEqual(packed.filter((/** @type {string} */ file) => /^grafana\/.*\.js$|^grafana\/src/.test(file)), [])

  assert.ok(packed.includes('scenarios/demo/start.js'))

  const installed = makeDir(t)
  for (const file of packed.filter((/** @type {string} */ file) => /^(lib|grafana|package\.json)/.test(file))) fs.cpSync(path.join(ROOT, file), path.join(installed, file))
  fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'))
  const stack = startStack(t, ['--demo', ...FREE], { ...fakeTools(t, ['prometheus']), main: path.join(installed, 'lib', 'cli', 'main.js') })
  const { code, stderr } = await stack.closed
  assert.equal(code, 1)
  assert.match(stderr, /the demo is missing: .*LOOPWATCH_ERR_DEMO/)
})

test('--dashboards writes them and ends, and says where it cannot', async (t) => {
  const dir = makeDir(t)
  const { code, stdout } = await startNode(t, [path.join(ROOT, 'lib', 'cli', 'main.js'), 'stack', '--dashboards', path.join(dir, 'a', 'b')]).closed
  assert.equal(code, 0)
  assert.deepEqual(stdout.trim().split('\n'), ['blocks', 'cluster', 'overview'].map((name) => path.join(dir, 'a', 'b', `${name}.json`)))
  assert.equal(JSON.parse(fs.readFileSync(path.join(dir, 'a', 'b', 'overview.json'), 'utf8')).title, 'loopwatch / Overview')
  const file = path.join(dir, 'file')
  fs.writeFileSync(file, '')
  const refused = await startNode(t, [path.join(ROOT, 'lib', 'cli', 'main.js'), 'stack', '--dashboards', path.join(file, 'a')]).closed
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^loopwatch: [^\n]*file[^\n]*\n$/)
})

test('a wrong flag is refused with what it takes', async (t) => {
  for (const [flags, message] of /** @type {[string[], RegExp][]} */ ([
    [['--target', 'nowhere'], /--target takes host:port, got "nowhere"/],
    [['--target', '127.0.0.1:70000'], /--target takes host:port/],
    [['--port', 'x'], /--port takes a whole number from 0 to 65535, got "x"/],
    [['--interval', '0'], /--interval takes a whole number from 1 to 60/]
  ])) {
    const { code, stderr } = await startStack(t, flags).closed
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
})
