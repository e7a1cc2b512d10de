'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { parse } = require('yaml')
const { makeRule } = require('../../grafana/kubernetes/make-rule')

const FOLDER = path.join(__dirname, '..', '..', 'grafana')

/** @param {string} file */
const text = (file) => fs.readFileSync(path.join(FOLDER, file), 'utf8')
/** @param {string} file */
const read = (file) => parse(text(file), { merge: true })
/** Files of grafana/ named in volumes, by where they are mounted. @param {string[]} volumes */
const mounts = (volumes) => volumes.map((volume) => volume.split(':')).filter(([from]) => from.startsWith('.'))

test('docker-compose: pinned images, this machine only, nobody is root, files that exist', () => {
  const { services, volumes } = read('docker-compose.yml')
  assert.deepEqual(Object.keys(services), ['demo', 'prometheus', 'grafana'])
  for (const [name, service] of Object.entries(services)) {
    assert.match(service.image, /:v?\d+\.\d+\.\d+(-[\w-]+)?$/, `${name} is pinned`)
    assert.doesNotMatch(`${service.user ?? 'root'}`, /^(root|0)(:|$)/, `${name} is not root`)
    assert.deepEqual([service.read_only, service.cap_drop, service.privileged], [true, ['ALL'], undefined], name)
    for (const port of service.ports) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, name)
    for (const [from, , mode] of mounts(service.volumes)) {
      // The dashboards are generated, and a build may be without them.
      if (from !== './dashboards') assert.ok(fs.existsSync(path.join(FOLDER, from)), from)
      assert.equal(mode, 'ro', from)
    }
    for (const volume of service.volumes.filter((/** @type {string} */ each) => /^\w/.test(each))) assert.ok(volume.split(':')[0] in volumes, volume)
  }
})

test('docker-compose: Prometheus finds its files and the demo, Grafana lets everyone view and nobody edit', () => {
  const { demo, prometheus, grafana } = read('docker-compose.yml').services
  const mounted = mounts(prometheus.volumes).map(([, to]) => to)
  const config = read('prometheus/prometheus.yml')
  for (const name of [...config.rule_files, ...config.scrape_configs[0].file_sd_configs[0].files]) assert.ok(mounted.includes(`/etc/prometheus/${name}`), name)
  const [{ targets }] = read('prometheus/targets.compose.yml')
  assert.deepEqual(targets, ['demo:9464', 'demo:9465'])
  assert.equal(demo.environment.LOOPWATCH_HOST, '0.0.0.0')
  const {
    GF_AUTH_ANONYMOUS_ORG_ROLE: role,
    GF_AUTH_BASIC_ENABLED: basic,
    GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: isNobody
  } = grafana.environment
  assert.deepEqual([role, basic, isNobody], ['Viewer', 'false', 'true'], 'nobody is an admin, not even admin with its usual password')
  assert.equal(grafana.environment.STACK_INTERVAL, config.global.scrape_interval)
})

test('Grafana is provisioned from the environment that compose gives, with a data source that cannot be edited', () => {
  const { environment } = read('docker-compose.yml').services.grafana
  const files = ['provisioning/datasources/prometheus.yml', 'provisioning/dashboards/loopwatch.yml']
  const asked = files.flatMap((file) => [...text(file).matchAll(/\$(STACK_\w+)/g)].map(([, name]) => name))
  assert.deepEqual([...new Set(asked)].sort(), Object.keys(environment).filter((name) => name.startsWith('STACK_')).sort())
  const { apiVersion, datasources: [source] } = read(files[0])
  assert.deepEqual([apiVersion, source.type, source.access, source.editable], [1, 'prometheus', 'proxy', false])
  assert.equal(source.jsonData.timeInterval, '$STACK_INTERVAL')
  // $$ is how Grafana's provisioning writes a $ of its own.
  assert.match(source.jsonData.exemplarTraceIdDestinations[0].url, /\/blocks\/\$\$\{__value\.raw\}$/)
  const { providers: [provider] } = read(files[1])
  assert.deepEqual([provider.type, provider.allowUiUpdates, provider.options.path], ['file', false, '$STACK_DASHBOARDS'])
})

test('the rule for the Prometheus operator is the rules of Prometheus', () => {
  assert.equal(text('kubernetes/prometheus-rule.yaml'), makeRule(), 'node grafana/kubernetes/make-rule.js')
})

test('Kubernetes: pods are found by label and port, and the dashboards by the sidecar', () => {
  const monitor = read('kubernetes/pod-monitor.yaml')
  const pod = read('kubernetes/pod.example.yaml').spec.template
  assert.equal(monitor.kind, 'PodMonitor')
  assert.deepEqual(pod.metadata.labels, monitor.spec.selector.matchLabels)
  const [{ ports, livenessProbe }] = pod.spec.containers
  assert.deepEqual(
    [ports[0].name, livenessProbe.httpGet.port],
    [monitor.spec.podMetricsEndpoints[0].port, ports[0].name]
  )
  assert.equal(monitor.spec.podMetricsEndpoints[0].interval, read('prometheus/prometheus.yml').global.scrape_interval)

  const { resources, generatorOptions, configMapGenerator } = read('kustomization.yaml')
  for (const file of resources) assert.ok(fs.existsSync(path.join(FOLDER, file)), file)
  assert.equal(generatorOptions.labels.grafana_dashboard, '1')
  // One map for each: all together may be more than the mebibyte that a map holds.
  for (const { files } of configMapGenerator) assert.equal(files.length, 1)
})

test('Kubernetes: every dashboard has its ConfigMap', () => {
  const folder = path.join(FOLDER, 'dashboards')
  const files = fs.readdirSync(folder).filter((file) => file.endsWith('.json')).map((file) => `dashboards/${file}`)
  assert.deepEqual(read('kustomization.yaml').configMapGenerator.flatMap((/** @type {any} */ { files }) => files).sort(), files.sort())
})
