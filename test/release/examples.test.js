'use strict'

// Takes two minutes: each example is started and blocked. Next.js is installed once, into node_modules/.cache.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { parse } = require('yaml')
const { startNode, eventually } = require('../support/app')
const { closings, makeProject, EXAMPLES, ROOT } = require('../support/example-project')

const NEXT = path.join(ROOT, 'node_modules', '.cache', 'loopwatch', 'next')
const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
/** A machine that is busy with other tests compiles Next.js in a minute. */
const SLOW_MS = 60_000

/** @param {string} file */
const json = (file) => JSON.parse(fs.readFileSync(file, 'utf8'))

/**
 * What the log must say of a block: function, file, text of the line, route. Made = steps before the start.
 * @typedef {{ start: string[], file: RegExp, made?: boolean, path: string, fn: string, code: RegExp, route: string
 * }} Example
 */

/** @type {Record<string, Example>} */
const applications = {
  express: { start: ['app.js'], file: /\/app\.js$/, path: '/primes/30000', fn: 'countPrimes', code: /for \(divisor = 2/, route: '/primes/:limit' },
  fastify: { start: ['app.js'], file: /\/app\.js$/, path: '/hash/secret', fn: 'hash', code: /pbkdf2Sync/, route: '/hash/:password' },
  koa: { start: ['app.js'], file: /\/app\.js$/, path: `/check/${'a'.repeat(23)}!`, fn: 'isWords', code: /WORDS\.test/, route: '/check/:text' },
  esm: { start: ['app.mjs'], file: /\/app\.mjs$/, path: '/unknown', fn: 'unknownNames', code: /includes/, route: '/unknown' },
  cluster: { start: ['app.js'], file: /\/app\.js$/, path: '/fibonacci/33', fn: 'fibonacci', code: /fibonacci/, route: '/fibonacci/:id' },
  typescript: { start: ['dist/app.js'], made: true, file: /\/app\.ts$/, path: '/totals', fn: 'totals', code: /for \(const other/, route: '/totals' },
  nestjs: { start: ['dist/app.js'], made: true, file: /\/app\.ts$/, path: '/reports/3000', fn: 'byName', code: /localeCompare/, route: '/reports/:rows' }
}
const manifests = ['docker-compose', 'kubernetes']
/** Whose blocks are in no request: work-examples.test.js. */
const works = ['bullmq', 'cron', 'datadog', 'graphql', 'opentelemetry', 'sentry', 'websocket']

/** @param {string} cwd */
function compile (cwd) {
  const { status, stdout } = spawnSync(process.execPath, [TSC], { cwd, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
}

/**
 * Starts an application, asks it until its log has the block, and says the line. By default it has no profile where
 * CPUs are taken, so its lines would be in doubt.
 * @param {import('node:test').TestContext} t
 * @param {string} cwd
 * @param {Pick<Example, 'start' | 'path'>} example
 * @param {(line: any) => boolean} isIt
 * @param {number} [deadlineMs]
 */
async function block (t, cwd, { start, path: asked }, isIt, deadlineMs) {
  const { out } = startNode(t, [path.join(cwd, start[0]), ...start.slice(1)], { cwd, env: { PORT: '0', LOOPWATCH_PORT: '0', LOOPWATCH_PROFILE: 'on', NEXT_TELEMETRY_DISABLED: '1' } })
  const address = await eventually(() => /^(?:ask|- Local:) +(http:\/\/[^/\s]+)/m.exec(out.stdout)?.[1],
    () => `the example to listen: ${out.stdout}${out.stderr}`, deadlineMs)
  // Again and again: Node.js 20 and 22 follow requests from the first block on, and on a busy machine one may be
  // `starved`.
  return eventually(async () => {
    const response = await fetch(address + asked)
    // 503 where the example sheds load, and others keep the machine busy.
    assert.ok([200, 503].includes(response.status), `${response.status} ${await response.text()} ${out.stderr}`)
    return closings(out.stdout).find(isIt)
  }, () => `the line of the block: ${out.stdout.slice(-5000)}`, deadlineMs)
}

/** @param {Example} example @returns {(line: any) => boolean} */
const names = ({ fn }) => ({ frame, request }) => frame?.function === fn && frame.exact && request !== null

/** @param {any} line @param {Example} example */
function assertNamed ({ frame, request }, example) {
  assert.match(frame.file.replaceAll('\\', '/'), example.file)
  assert.match(fs.readFileSync(frame.file, 'utf8').split('\n')[frame.line - 1], example.code)
  assert.equal(request.route, example.route)
}

test('every example says in its README what it shows and how it starts, and needs the versions that are tested', () => {
  const [scenarios, tests] = ['scenarios', 'test'].map((folder) => json(path.join(ROOT, folder, 'package.json')).dependencies)
  const tested = { ...scenarios, ...json(path.join(ROOT, 'package.json')).devDependencies, ...tests, loopwatch: 'file:../..' }
  const folders = fs
    .readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  assert.deepEqual(folders.sort(), [...Object.keys(applications), 'nextjs', 'worker-threads', ...manifests, ...works].sort(), 'each is tested here, or with those of work')
  for (const name of folders) {
    const [title, shows, command] = fs.readFileSync(path.join(EXAMPLES, name, 'README.md'), 'utf8').trim().split('\n\n')
    assert.match(title, /^# \w/, name)
    assert.match(shows, /^[A-Z][^\n]+\.$/, name)
    assert.match(command, /^`[^`\n]+`$/, name)
    if (manifests.includes(name)) continue
    const { dependencies, devDependencies } = json(path.join(EXAMPLES, name, 'package.json'))
    for (const [each, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      // Next.js and React are in no other package.json: they are installed as the example asks for them.
      if (name !== 'nextjs' || each in tested) assert.equal(range, tested[each], `${each} of ${name}`)
    }
  }
})

test('the examples: each blocks when it is asked, and its log names function, file, line and route', async (t) => {
  const dir = await makeProject(t)
  for (const [name, example] of Object.entries(applications)) {
    await t.test(name, async (t) => {
      const cwd = path.join(dir, name)
      if (example.made) compile(cwd)
      assertNamed(await block(t, cwd, example, names(example)), example)
    })
  }
})

test('the example of a worker thread: the log names the thread, and its function where Node.js profiles it', async (t) => {
  const cwd = path.join(await makeProject(t), 'worker-threads')
  // Node.js 20 does not tell a thread's name from outside.
  const name = 'threadName' in Worker.prototype ? 'resize' : 'WorkerThread'
  const { frame, msg } = await block(t, cwd, { start: ['app.js'], path: '/resize' }, ({ thread }) => thread === name)
  assert.ok(frame === null || frame.function === 'brightness', JSON.stringify(frame))
  assert.match(msg, new RegExp(`^event loop of worker thread ${name} was blocked for`))
})

/** Installs what the example of Next.js needs, as its users do. Null where it is there, else what npm said. */
function installNext () {
  const { dependencies } = json(path.join(EXAMPLES, 'nextjs', 'package.json'))
  const manifest = JSON.stringify({ private: true, dependencies: { ...dependencies, loopwatch: `file:${ROOT}` } })
  const file = path.join(NEXT, 'package.json')
  const isThere = fs.existsSync(path.join(NEXT, 'node_modules', '.package-lock.json')) && fs.readFileSync(file, 'utf8') === manifest
  if (!isThere) {
    fs.mkdirSync(NEXT, { recursive: true })
    fs.writeFileSync(file, manifest)
    fs.copyFileSync(path.join(EXAMPLES, 'nextjs', '.npmrc'), path.join(NEXT, '.npmrc'))
    const { status, stderr } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: NEXT, encoding: 'utf8' })
    if (status !== 0) return stderr
  }
  const own = path.join(NEXT, 'node_modules', 'loopwatch')
  assert.ok(!fs.lstatSync(own).isSymbolicLink(), 'the bundler of Next.js follows no links out of the project')
  for (const target of [own, path.join(NEXT, 'app')]) fs.rmSync(target, { recursive: true, force: true })
  fs.cpSync(path.join(ROOT, 'lib'), path.join(own, 'lib'), { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(own, 'package.json'))
  fs.cpSync(path.join(EXAMPLES, 'nextjs'), path.join(NEXT, 'app'), { recursive: true, filter: (from) => !/[\\/](node_modules|\.next)$/.test(from) })
  return null
}

test('Next.js, built and started: the same', async (t) => {
  const problem = installNext()
  if (problem !== null) {
    if (process.env.CI === 'true') throw new Error(`CI could not install Next.js: ${problem}`)
    return t.skip(`Next.js could not be installed: ${problem}`)
  }
  const cwd = path.join(NEXT, 'app')
  const next = path.join(NEXT, 'node_modules', 'next', 'dist', 'bin', 'next')
  const { code, stdout, stderr } = await startNode(t, [next, 'build'], { cwd, env: { NEXT_TELEMETRY_DISABLED: '1' } }).closed
  assert.equal(code, 0, stdout + stderr)
  const example = { start: [path.relative(cwd, next), 'start'], path: '/report/8000', fn: 'countPairs', code: /% 7/, route: '/report/:id', file: /\/(route\.js|chunks\/[^/]+\.js)$/ }
  assertNamed(await block(t, cwd, example, names(example), SLOW_MS), example)
})

/** @param {string} file */
const yaml = (file) => parse(fs.readFileSync(file, 'utf8'))

test('docker-compose: Prometheus scrapes the application, which is healthy while its agent says so', (t) => {
  const folder = path.join(EXAMPLES, 'docker-compose')
  const { services: { app, prometheus } } = yaml(path.join(folder, 'compose.yml'))
  const { demo } = yaml(path.join(ROOT, 'grafana', 'docker-compose.yml')).services
  assert.equal(app.environment.LOOPWATCH_HOST, demo.environment.LOOPWATCH_HOST)
  assert.match(fs.readFileSync(path.join(folder, 'Dockerfile'), 'utf8'), new RegExp(`^FROM ${demo.image}$`, 'm'))
  assert.match(app.healthcheck.test.at(-1), /127\.0\.0\.1:9464\/healthz\?ms=\d+/)
  assert.equal(prometheus.image, yaml(path.join(ROOT, 'grafana', 'docker-compose.yml')).services.prometheus.image)
  const [{ static_configs: [{ targets }] }] = yaml(path.join(folder, 'prometheus.yml')).scrape_configs
  assert.deepEqual(targets, ['app:9464'])
  for (const port of [...app.ports, ...prometheus.ports]) assert.match(port, /^127\.0\.0\.1:/)
  if (spawnSync('docker', ['compose', 'version']).status !== 0) return t.diagnostic('docker compose is not there to read the file as well')
  const { status, stderr } = spawnSync('docker', ['compose', '--file', path.join(folder, 'compose.yml'), 'config', '--quiet'], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

test('kubernetes: the Deployment is what the PodMonitor finds, with the probe that grafana/ shows', () => {
  const { apiVersion, kind, spec: { selector, template } } = yaml(path.join(EXAMPLES, 'kubernetes', 'deployment.yaml'))
  const monitor = yaml(path.join(ROOT, 'grafana', 'kubernetes', 'pod-monitor.yaml')).spec
  const [shown] = yaml(path.join(ROOT, 'grafana', 'kubernetes', 'pod.example.yaml')).spec.template.spec.containers
  assert.deepEqual([apiVersion, kind], ['apps/v1', 'Deployment'])
  for (const labels of [selector.matchLabels, monitor.selector.matchLabels]) {
    assert.deepEqual({ ...template.metadata.labels, ...labels }, template.metadata.labels)
  }
  const [{ env, ports, livenessProbe, readinessProbe }] = template.spec.containers
  assert.deepEqual(livenessProbe, shown.livenessProbe)
  for (const each of shown.env) assert.deepEqual(env.find((/** @type {any} */ { name }) => name === each.name), each)
  const named = Object.fromEntries(ports.map((/** @type {any} */ port) => [port.name, port.containerPort]))
  assert.equal(named[monitor.podMetricsEndpoints[0].port], shown.ports[0].containerPort)
  assert.ok(readinessProbe.httpGet.port in named)
})
