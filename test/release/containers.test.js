'use strict'

// Dockerfiles and manifests by what they copy, run and mount. Nothing here builds an image: what its commands copy is
// copied into a folder, and what it runs is run there.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')
const manifest = require('../../package.json')
const { resolveOptions } = require('../../lib/options/table')
const { eventually, startNode, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const DEMO = 'scenarios/demo/Dockerfile'
const APPLICATION = 'examples/docker-compose/Dockerfile'

/** @param {string} file */
const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8')
/** @param {string} text without the lines that are comments */
const bare = (text) => text.split('\n').filter((line) => !line.trimStart().startsWith('#')).join('\n').trim()

/** @param {string} file @returns {[instruction: string, rest: string][]} */
const instructions = (file) => bare(read(file)).split('\n').map((line) => /** @type {[string, string]} */ (line.split(/ (.*)/s)))
/** The last one decides. @param {string} file @param {string} name @returns {string} */
const last = (file, name) => instructions(file).filter(([instruction]) => instruction === name).at(-1)?.[1] ?? ''
/** @param {string} document @param {string} language */
const blocks = (document, language) => [...read(document).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text.trim())

for (const file of [DEMO, APPLICATION]) {
  test(`${file}: an exact image, exact packages, not root, and files of root`, () => {
    assert.match(last(file, 'FROM'), /^node:\d+\.\d+\.\d+-[\w-]+-slim$/)
    assert.equal(last(file, 'USER'), 'node')
    const order = instructions(file).map(([instruction]) => instruction)
    assert.ok(order.lastIndexOf('COPY') < order.indexOf('USER') && order.lastIndexOf('RUN') < order.indexOf('USER'), 'the user owns nothing')
    for (const [, rest] of instructions(file).filter(([instruction]) => instruction === 'COPY')) assert.doesNotMatch(rest, /--chown/)
    assert.match(read(file), /^RUN npm ci --omit=dev/m)
    assert.match(read(file), /^COPY package\*?\.json/m)
    const ignored = read(fs.existsSync(path.join(ROOT, `${file}.dockerignore`)) ? `${file}.dockerignore` : path.join(path.dirname(file), '.dockerignore'))
    for (const name of ['node_modules', '.git']) assert.match(ignored, new RegExp(`^(\\*\\*/)?${name.replace('.', '\\.')}$`, 'm'), 'what a build must not send')
  })
}

test('the image of the demo has what the demo needs: copied as it says, and run as it says', async (t) => {
  const image = makeDir(t)
  for (const [, rest] of instructions(DEMO).filter(([instruction]) => instruction === 'COPY')) {
    const [to, ...from] = rest.split(' ').reverse()
    for (const each of from) {
      const target = path.join(image, to === './' ? path.basename(each) : to)
      assert.ok(fs.existsSync(path.join(ROOT, each)), each)
      fs.cpSync(path.join(ROOT, each), target, { recursive: true })
    }
  }
  // In place of `npm ci`: only the packages that an installation of loopwatch has, by the lock file.
  const { packages } = JSON.parse(fs.readFileSync(path.join(image, 'package-lock.json'), 'utf8'))
  for (const [place, { dev, devOptional, peer }] of Object.entries(packages)) {
    const installed = path.join(ROOT, place)
    if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(place) || dev || devOptional || peer || !fs.existsSync(installed)) continue
    fs.mkdirSync(path.dirname(path.join(image, place)), { recursive: true })
    fs.symlinkSync(fs.realpathSync(installed), path.join(image, place), 'dir')
  }
  assert.equal(last(DEMO, 'CMD').startsWith('["node", '), true, 'no shell between Docker and Node.js')
  const [, ...args] = JSON.parse(last(DEMO, 'CMD')).map((/** @type {string} */ arg) => ['9464', '9465'].includes(arg) ? '0' : arg)
  const env = Object.fromEntries(instructions(DEMO).filter(([instruction]) => instruction === 'ENV').map(([, rest]) => rest.split('=')))
  assert.deepEqual(last(DEMO, 'EXPOSE').split(' '), JSON.parse(last(DEMO, 'CMD')).filter((/** @type {string} */ arg) => /^\d+$/.test(arg)))
  const { out, closed } = startNode(t, [...args, '--seconds', '12'], { cwd: image, env })
  await eventually(() => /event loop was blocked for/.test(out.stdout), () => `a block: ${out.stdout}${out.stderr}`)
  const { code, stderr } = await closed
  assert.equal(code, 0, stderr)
})

test('the example of an application starts with the agent, below a first process that passes signals on', () => {
  assert.equal(last(APPLICATION, 'ENTRYPOINT'), '["tini", "--"]')
  assert.match(read(APPLICATION), /^RUN apt-get .*\binstall\b.*\btini\b/m)
  const [program, flag, preload, app] = JSON.parse(last(APPLICATION, 'CMD'))
  assert.deepEqual([program, flag, app], ['node', '--require', 'app.js'])
  assert.ok(preload.replace(manifest.name, '.') in manifest.exports, preload)
  const { app: service } = parse(read('examples/docker-compose/compose.yml')).services
  assert.deepEqual([service.read_only, service.tmpfs, service.cap_drop, service.security_opt], [true, ['/tmp'], ['ALL'], ['no-new-privileges:true']])
})

test('documents show the files of the examples', () => {
  assert.deepEqual(blocks('docs/operate/docker.md', 'dockerfile'), [bare(read(APPLICATION))])
  const shown = blocks('docs/operate/kubernetes.md', 'yaml')
  for (const file of ['deployment', 'network-policy', 'opentelemetry-operator']) assert.ok(shown.includes(bare(read(`examples/kubernetes/${file}.yaml`))), file)
  for (const line of read(DEMO).matchAll(/^# {3}(docker .+)$/gm)) assert.ok(read('docs/operate/docker.md').includes(line[1]), line[1])
})

const deployment = parse(read('examples/kubernetes/deployment.yaml'))
const [container] = deployment.spec.template.spec.containers

test('Kubernetes: who reads stacks needs a token, and Prometheus has it; only Prometheus reaches the port', () => {
  const { valueFrom } = container.env.find((/** @type {any} */ { name }) => name === 'LOOPWATCH_TOKEN')
  const [endpoint] = parse(read('grafana/kubernetes/pod-monitor.yaml')).spec.podMetricsEndpoints
  assert.deepEqual(endpoint.authorization.credentials, valueFrom.secretKeyRef)
  const { spec } = parse(read('examples/kubernetes/network-policy.yaml'))
  assert.deepEqual(spec.podSelector, deployment.spec.selector)
  const [everybody, prometheus] = spec.ingress
  assert.deepEqual(everybody, { ports: [{ port: 'http' }] }, 'everybody reaches the application, and nothing else')
  assert.ok(prometheus.from.length > 0)
  assert.deepEqual(prometheus.ports, [{ port: endpoint.port }])
  assert.equal(spec.ingress.length, 2)
})

test('Kubernetes: not root, no capabilities, nothing to write but /tmp', () => {
  const { runAsNonRoot, readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext
  assert.deepEqual([runAsNonRoot, readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities.drop], [true, true, false, ['ALL']])
  const volumes = deployment.spec.template.spec.volumes.map((/** @type {any} */ { name }) => name)
  assert.deepEqual(container.volumeMounts.map((/** @type {any} */ { name, mountPath }) => [name, mountPath]), [[volumes[0], '/tmp']])
})

test('the operator\'s pods: what it appends to NODE_OPTIONS starts together with the agent, whose blocks have the trace', async (t) => {
  const { metadata, spec } = parse(read('examples/kubernetes/opentelemetry-operator.yaml')).spec.template
  assert.equal(metadata.annotations['instrumentation.opentelemetry.io/inject-nodejs'], 'true')
  assert.equal(metadata.annotations['instrumentation.opentelemetry.io/container-names'], container.name)
  const { name, value } = spec.containers[0].env.find((/** @type {any} */ each) => each.name === 'NODE_OPTIONS')
  assert.deepEqual(container.env.find((/** @type {any} */ each) => each.name === name), { name, value }, 'the Deployment has the same')
  const own = value.replace('loopwatch/register', path.join(ROOT, 'lib', 'register.js'))
  const env = { NODE_OPTIONS: `${own} --require ${path.join(FIXTURES, 'opentelemetry.js')}`, LOOPWATCH_PORT: '0', PORT: '0', LOOPWATCH_LOG: 'true' }
  const app = path.join(makeDir(t), 'app.js')
  fs.writeFileSync(app, `
    require('node:http').createServer(function answer (request, response) {
      const end = Date.now() + 300
      while (Date.now() < end);
      response.end()
    }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`)
  const { out } = startNode(t, [app], { env })
  const url = await eventually(() => /^http:\S+/m.exec(out.stdout)?.[0], () => `an address: ${out.stdout}${out.stderr}`)
  await eventually(async () => {
    await (await fetch(url)).text()
    return `${out.stdout}${out.stderr}`.split('\n').some((line) => line.includes('b'.repeat(32)) && line.includes('answer'))
  }, () => `a block with the trace of the span: ${out.stdout}${out.stderr}`)
})

/** What the document says that probes follow from. @param {{ threshold: number, stuck: number }} options ms */
function probesOf ({ threshold, stuck }) {
  const ms = stuck > 0 ? stuck : Math.max(10_000, 20 * threshold)
  const periodS = Math.min(10, Math.max(1, Math.ceil(ms / 2 / 1000)))
  const [firstS, lastS] = [ms / 1000 + 2 * periodS, ms / 1000 + 3 * periodS]
  return { ms, periodS, restart: `${firstS} to ${lastS} s`, firstS, readyS: Math.max(1, Math.ceil(threshold * 10 / 1000)) }
}

test('probes follow from threshold and stuck: the table of the document', () => {
  const rows = [...read('docs/operate/kubernetes.md').matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \| ([\d to s]+) \| (\d+) \|$/gm)].map(([, ...cells]) => cells)
  assert.ok(rows.length >= 5, `${rows.length} rows`)
  for (const [threshold, stuck, ...numbers] of rows) {
    const { ms, periodS, restart, readyS } = probesOf({ threshold: Number(threshold), stuck: Number(stuck) })
    assert.deepEqual(numbers, [`${ms}`, `${periodS}`, restart, `${readyS}`], `threshold ${threshold}, stuck ${stuck}`)
  }
})

test('probes follow from threshold and stuck: every manifest and document has those of the defaults', () => {
  const defaults = resolveOptions({}, {})
  const { ms, periodS, firstS, readyS } = probesOf(defaults)
  const [shown] = parse(read('grafana/kubernetes/pod.example.yaml')).spec.template.spec.containers
  for (const { livenessProbe } of [container, shown]) {
    assert.deepEqual([livenessProbe.httpGet.path, livenessProbe.periodSeconds, livenessProbe.failureThreshold], [`/healthz?ms=${ms}`, periodS, 3])
    assert.ok(livenessProbe.timeoutSeconds <= periodS)
  }
  const { periodSeconds, timeoutSeconds, failureThreshold } = container.readinessProbe
  assert.equal(timeoutSeconds, readyS)
  assert.ok(timeoutSeconds * 1000 > defaults.threshold)
  assert.ok(periodSeconds * failureThreshold + timeoutSeconds < firstS, 'a pod gets no requests before it is restarted')
  for (const file of ['docs/operate/docker.md', 'docs/operate/runbook.md', 'examples/docker-compose/compose.yml']) {
    for (const [asked] of read(file).matchAll(/healthz\?ms=\d+/g)) assert.equal(asked, `healthz?ms=${ms}`, file)
  }
})

test('the probe of the production checklist waits as long as its option stuck', () => {
  const text = read('docs/operate/production.md')
  const [, stuck] = /\bstuck: (\d+)/.exec(text) ?? []
  const probes = [...text.matchAll(/healthz\?ms=(\d+)/g)].map(([, ms]) => ms)
  assert.deepEqual(probes, [stuck])
})
