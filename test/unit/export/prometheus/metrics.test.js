'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { table, SITES, labelNames } = require('../../../../lib/tables/metrics')
const { causes } = require('../../../../lib/tables/causes')
const { parseExposition, valueOf } = require('../../../support/exposition')
const { fill, makeMetrics } = require('../../../support/metrics')
const { makeRecord } = require('../../../support/record')
const { seeded } = require('../../../support/simulated-host')

test('shed requests are counted on where their 32 bits wrap', async () => {
  const { host, samples } = makeMetrics()
  const shed = async () => {
    const read = await samples()
    return ['delay', 'utilization'].map((reason) => valueOf(read, 'loopwatch_requests_shed_total', { reason }))
  }
  assert.deepEqual(await shed(), [0, 0])
  host.shed = { delay: 2 ** 31 - 1, utilization: 3 }
  assert.deepEqual(await shed(), [2 ** 31 - 1, 3])
  host.shed = { delay: -(2 ** 31) + 4, utilization: 3 }
  assert.deepEqual(await shed(), [2 ** 31 + 4, 3])
  host.shed = { delay: -10, utilization: 3 }
  assert.deepEqual(await shed(), [2 ** 32 - 10, 3])
  host.shed = { delay: 6, utilization: 3 }
  assert.deepEqual(await shed(), [2 ** 32 + 6, 3])
})

test('every metric of the catalogue is there with its type, help and labels, and no other', async () => {
  for (const openMetrics of [false, true]) {
    const made = makeMetrics({ routes: 1 })
    fill(made)
    made.metrics.observeBlock(makeRecord({ request: { method: 'GET', route: '/other', startedAt: '' } }))
    const { families, samples } = parseExposition(await made.metrics.render(openMetrics))
    const nameOf = (/** @type {(typeof table)[number]} */ { name, type }) => openMetrics && type === 'counter' ? name.replace(/_total$/, '') : name
    assert.deepEqual([...families], table.map((row) => [nameOf(row), { type: row.type, help: row.help }]))
    const suffixes = { histogram: ['_bucket', '_sum', '_count'], counter: openMetrics ? ['_total'] : [''], gauge: [''] }
    const known = new Set()
    for (const row of table) {
      for (const suffix of suffixes[/** @type {keyof typeof suffixes} */ (row.type)]) {
        const name = nameOf(row) + suffix
        known.add(name)
        const found = samples.filter((sample) => sample.name === name)
        assert.ok(found.length > 0, `no sample of ${name}`)
        for (const { labels } of found) {
          assert.deepEqual(Object.keys(labels).sort(), [...row.labels, ...(suffix === '_bucket' ? ['le'] : [])].sort(), name)
        }
      }
    }
    for (const { name } of samples) assert.ok(known.has(name), `${name} is not in the catalogue`)
  }
})

test('counters of OpenMetrics keep their whole name in the text format after both were read', async () => {
  const made = makeMetrics()
  fill(made)
  const before = await made.metrics.render()
  const open = await made.metrics.render(true)
  assert.deepEqual(parseExposition(await made.metrics.render()).families, parseExposition(before).families)
  assert.ok(open.endsWith('\n# EOF\n'))
  assert.ok(!before.includes('# EOF'))
  assert.match(made.metrics.contentType(true), /^application\/openmetrics-text; version=1\.0\.0/)
  assert.match(made.metrics.contentType(false), /^text\/plain; version=0\.0\.4/)
})

test('the longest block is exact, of each thread, of the last minute and no longer, whoever else reads it', async () => {
  let nowMs = 1e6
  const { metrics, samples } = makeMetrics({ nowMs: () => nowMs })
  const longest = async (thread = 'main') => valueOf(await samples(), 'loopwatch_block_longest_seconds', { thread })
  assert.equal(await longest(), 0)
  for (const durationMs of [700, 1234.5, 300, 400]) {
    metrics.observeBlock(makeRecord({ durationMs }))
    nowMs += 10_000
  }
  metrics.observeBlock(makeRecord({ thread: 'pool', durationMs: 9000 }))
  assert.deepEqual([await longest(), await longest()], [1.2345, 1.2345])
  nowMs += 29_999
  assert.equal(await longest(), 1.2345)
  nowMs += 1
  assert.equal(await longest(), 0.4)
  nowMs += 30_000
  assert.equal(await longest(), 0)
})

test('the values are those of the host, in seconds', async () => {
  const { metrics, host, samples } = makeMetrics()
  host.loop = { activeMs: 1500, idleMs: 8500, heartbeatAgeMs: 2412, inProgressMs: 2400 }
  metrics.observeBlock(makeRecord({ durationMs: 300 }))
  metrics.observeBlock(makeRecord({ durationMs: 700, request: null, cause: 'gc', frame: null }))
  metrics.observeGc('major', 30)
  metrics.drop('record', 5)
  const found = await samples()
  /** @type {[string, Record<string, string>, number][]} */
  const expected = [
    ['loopwatch_eventloop_time_seconds_total', { thread: 'main', state: 'active' }, 1.5],
    ['loopwatch_eventloop_time_seconds_total', { thread: 'main', state: 'idle' }, 8.5],
    ['loopwatch_eventloop_heartbeat_age_seconds', { thread: 'main' }, 2.412],
    ['loopwatch_block_in_progress_seconds', { thread: 'main' }, 2.4],
    ['loopwatch_block_duration_seconds_count', { thread: 'main', cause: 'js' }, 1],
    ['loopwatch_block_duration_seconds_sum', { thread: 'main', cause: 'gc' }, 0.7],
    ['loopwatch_block_duration_seconds_bucket', { cause: 'js', le: '0.25' }, 0],
    ['loopwatch_block_duration_seconds_bucket', { cause: 'js', le: '0.5' }, 1],
    ['loopwatch_blocked_seconds_total', { cause: 'js', route: '/report/:id', work: '(none)' }, 0.3],
    ['loopwatch_blocked_seconds_total', { cause: 'gc', route: '(none)', work: '(none)' }, 0.7],
    ['loopwatch_block_site_seconds_total', { site: 'report app/report.js' }, 0.3],
    ['loopwatch_gc_duration_seconds_sum', { kind: 'major' }, 0.03],
    ['loopwatch_thread_cpu_seconds_total', { thread: 'watchdog', mode: 'system' }, 0.05],
    ['loopwatch_events_dropped_total', { reason: 'record' }, 5],
    ['loopwatch_degraded', { reason: 'endpoint' }, 0],
    ['loopwatch_degraded', { reason: 'dir' }, 1],
    ['loopwatch_build_info', { version: '1.2.3', node_version: process.versions.node }, 1],
    ['loopwatch_config_threshold_seconds', {}, 0.05]
  ]
  for (const [name, labels, value] of expected) assert.equal(valueOf(found, name, labels), value, `${name} ${JSON.stringify(labels)}`)
  const rss = valueOf(found, 'loopwatch_process_resident_memory_bytes')
  assert.ok(rss > 10e6 && rss < 10e9, `${rss} bytes`)
})

test('works of one block are each charged with their part of it, and the parts make the block', async () => {
  const { metrics, samples } = makeMetrics()
  const record = makeRecord({ durationMs: 2000 })
  const nightly = /** @type {any} */ ({ kind: 'task', name: 'nightly', id: '9', ended: false })
  const frame = /** @type {any} */ ({ ...record.frame, function: 'tidy', line: 7 })
  const { work, request, frame: line } = record
  const works = [{ work, request, frame: line, weightMs: 1350 }, { work: nightly, request: null, frame, weightMs: 450 }]
  metrics.observeBlock({ ...record, works })
  const found = await samples()
  const charged = (/** @type {Record<string, string>} */ labels) => valueOf(found, 'loopwatch_blocked_seconds_total', labels)
  assert.deepEqual([charged({ route: '/report/:id', work: '(none)' }), charged({ route: '(none)', work: 'nightly' })], [1.5, 0.5])
  const sites = ['report app/report.js', 'tidy app/report.js']
  assert.deepEqual(sites.map((site) => valueOf(found, 'loopwatch_block_site_seconds_total', { site })), [1.5, 0.5])
})

test('each part of a block counts under its own cause, and a line is charged with what code took', async () => {
  const { metrics, samples } = makeMetrics()
  const parts = { js: 600, native: 200, gc: 100, asleep: 100, waiting: 700, stopped: 200, unexplained: 100 }
  metrics.observeBlock(makeRecord({ durationMs: 2000, parts }))
  metrics.observeBlock(makeRecord({ durationMs: 2000, parts, cause: 'many' }))
  metrics.observeBlock(makeRecord({ durationMs: 2000, parts, cause: 'starved', excused: false }))
  metrics.observeBlock(makeRecord({ durationMs: 2000, parts, cause: 'starved', excused: true }))
  metrics.observeBlock(makeRecord({ durationMs: 2000, parts, allowed: 'nightly' }))
  const found = await samples()
  const causes = ['js', 'native', 'many', 'gc', 'sync-io', 'starved', 'suspended', 'unknown', 'allowed']
  const charged = causes.map((cause) => Number(valueOf(found, 'loopwatch_blocked_seconds_total', { cause })).toFixed(1))
  assert.deepEqual(charged, ['1.8', '0.6', '0.8', '0.4', '0.4', '2.8', '0.8', '0.4', '2.0'])
  assert.equal(valueOf(found, 'loopwatch_block_site_seconds_total', { site: 'report app/report.js' }), 3)
})

test('a machine that does not tell CPU time has no CPU metric rather than a wrong one', async () => {
  const { host, samples } = makeMetrics()
  host.cpu = { main: null, watchdog: { user: 1, system: 1 } }
  const threads = (await samples()).filter(({ name }) => name === 'loopwatch_thread_cpu_seconds_total').map(({ labels }) => labels.thread)
  assert.deepEqual(threads, ['watchdog', 'watchdog'])
})

test('the threshold is the first bound of the duration of blocks, and bounds below it are gone', async () => {
  for (const [thresholdMs, bounds] of /** @type {[number, string[]][]} */ ([
    [20, ['0.02', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '+Inf']],
    [50, ['0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '+Inf']],
    [300, ['0.3', '0.5', '1', '2.5', '5', '10', '30', '+Inf']],
    [60000, ['60', '+Inf']]
  ])) {
    const { metrics, samples } = makeMetrics({ thresholdMs })
    metrics.observeBlock(makeRecord())
    assert.deepEqual((await samples()).filter(({ name }) => name === 'loopwatch_block_duration_seconds_bucket').map(({ labels }) => labels.le), bounds)
  }
})

test('no counter and no histogram ever goes backwards, whatever the host says and whoever reads in between', async () => {
  const random = seeded(11)
  const { metrics, host, samples } = makeMetrics({ routes: 3 })
  const types = new Map(table.map(({ name, type }) => [name, type]))
  /** @type {Map<string, number>} */
  const last = new Map()
  let rises = 0
  let mostActiveMs = 0
  for (let round = 0; round < 100; round++) {
    // A block in progress counts as active until its end is known to have been shorter.
    host.loop = {
      activeMs: 1000 + round * 10 + random() * 200,
      idleMs: 5000 + round * 90 - random() * 200,
      heartbeatAgeMs: random() * 50,
      inProgressMs: random() * 50
    }
    host.cpu = { main: random() < 0.2 ? null : { user: round - random() * 3, system: round / 10 } }
    for (let i = 0; i < 20; i++) host.delays.record(9 + random() ** 8 * 2000)
    metrics.observeBlock(makeRecord({ durationMs: 50 + random() * 5000, cause: /** @type {import('../../../../lib/tables/causes').Cause} */ (Object.keys(causes)[round % Object.keys(causes).length]), request: { method: 'GET', route: `/${round % 7}`, startedAt: '' } }))
    metrics.observeGc('minor', random() * 20)
    metrics.drop('late_beat')
    metrics.requestSeries(`/${round}`, 'GET', '2xx').observe(random() * 20)
    metrics.requestBlockedSeries(`/${round % 7}`).observe(random() * 20)
    const found = await samples(round % 3 === 0)
    mostActiveMs = Math.max(mostActiveMs, host.loop.activeMs)
    const activeS = valueOf(found, 'loopwatch_eventloop_time_seconds_total', { state: 'active' })
    assert.ok(Math.abs(activeS - mostActiveMs / 1000) < 1e-6, `${activeS} s in round ${round}, but the host has said ${mostActiveMs} ms at most`)
    for (const { name, labels, value } of found) {
      const type = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''))
      if (type === 'gauge') continue
      const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`
      assert.ok(value >= (last.get(key) ?? 0), `${key} went from ${last.get(key)} to ${value} in round ${round}`)
      if (value > (last.get(key) ?? Infinity)) rises++
      last.set(key, value)
    }
  }
  assert.ok(rises > 2000, `only ${rises} rises: this test sees nothing`)
})

test('a block that is excused is charged to no line', async () => {
  const { metrics, samples } = makeMetrics()
  for (const cause of /** @type {const} */ (['starved', 'suspended', 'js'])) metrics.observeBlock(makeRecord({ cause, durationMs: 1000 }))
  const sites = (await samples()).filter(({ name }) => name === 'loopwatch_block_site_seconds_total')
  assert.deepEqual(sites.map(({ value }) => value), [1])
})

test('a block is charged to the route that requests are counted under, however many other routes blocks have', async () => {
  const { metrics, samples } = makeMetrics({ routes: 1 })
  const request = (/** @type {string} */ route) => ({ method: 'GET', route, startedAt: '', ended: false, traceId: null })
  metrics.requestSeries('/known', 'GET', '2xx').observe(1)
  for (const route of ['/first', '/second', '/known']) metrics.observeBlock(makeRecord({ durationMs: 1000, request: request(route) }))
  const blocked = (await samples()).filter(({ name }) => name === 'loopwatch_blocked_seconds_total')
  assert.deepEqual(blocked.map(({ labels }) => labels.route), ['/first', '(other)', '/known'])
})

test('buckets of a histogram are cumulative and end at its count', async () => {
  const random = seeded(12)
  const made = makeMetrics()
  const requests = made.metrics.requestSeries('/a', 'GET', '2xx')
  const victims = made.metrics.requestBlockedSeries('/a')
  const jobs = made.metrics.workSeries('email:send', 'job')
  for (let i = 0; i < 500; i++) {
    jobs.duration.observe(random() ** 4 * 20)
    jobs.blocked.observe(random() ** 4 * 20)
    requests.observe(random() ** 4 * 20)
    victims.observe(random() ** 4 * 20)
    made.metrics.observeBlock(makeRecord({ durationMs: 50 + random() ** 4 * 60000 }))
    made.metrics.observeGc('minor', random() ** 3 * 2000)
    made.metrics.observePoolDelay('thread_pool', random() ** 4 * 20000)
    made.host.delays.record(9 + random() ** 8 * 20000)
    made.host.waits.begin(0)
    made.host.waits.end(0, random() ** 4 * 100000)
  }
  const found = await made.samples()
  for (const { name, type } of table) {
    if (type !== 'histogram') continue
    const counts = found.filter((sample) => sample.name === `${name}_bucket`).map(({ value }) => value)
    assert.deepEqual(counts, [...counts].sort((a, b) => a - b), name)
    assert.equal(counts.at(-1), 500, name)
    assert.ok(new Set(counts).size > 4, `${name} is all in one bucket`)
    assert.equal(valueOf(found, `${name}_count`), 500, name)
  }
})

test('in OpenMetrics the buckets of block durations name a block to look at; in the text format none does', async () => {
  const { metrics, samples } = makeMetrics()
  metrics.observeBlock(makeRecord({ id: '4242-1', durationMs: 80 }))
  metrics.observeBlock(makeRecord({ id: '4242-2', durationMs: 700 }))
  metrics.observeBlock(makeRecord({ id: '4242-3', durationMs: 800 }))
  const exemplars = (await samples(true))
    .filter(({ exemplar }) => exemplar !== null)
    .map(({ name, labels, exemplar }) => [name, labels.le, exemplar?.labels, exemplar?.value])
  assert.deepEqual(exemplars, [
    ['loopwatch_block_duration_seconds_bucket', '0.1', { block_id: '4242-1' }, 0.08],
    ['loopwatch_block_duration_seconds_bucket', '1', { block_id: '4242-3' }, 0.8]
  ])
  assert.ok((await samples()).every(({ exemplar }) => exemplar === null))
})

test('routes beyond the bound go to (other), are counted as overflow, and known ones stay', async () => {
  const { metrics, samples } = makeMetrics({ routes: 3 })
  for (const route of ['/a', '/b', '/c', '/d', '/e', '/a', '/d']) metrics.observeBlock(makeRecord({ durationMs: 1000, request: { method: 'GET', route, startedAt: '' } }))
  metrics.observeBlock(makeRecord({ durationMs: 1000, request: null }))
  const found = await samples()
  assert.deepEqual(found.filter(({ name }) => name === 'loopwatch_blocked_seconds_total').map(({ labels, value }) => [labels.route, value]),
    [['/a', 2], ['/b', 1], ['/c', 1], ['(other)', 3], ['(none)', 1]])
  assert.equal(valueOf(found, 'loopwatch_label_overflow_total', { label: 'route' }), 3)
})

test('work that is in doubt has labels of its own, so that what is certain stays so', async () => {
  const { metrics, samples } = makeMetrics({ routes: 2 })
  const request = { method: 'GET', route: '/a', startedAt: '', ended: false, traceId: null }
  const work = { kind: /** @type {const} */ ('job'), name: 'mail', id: '7', parent: null, startedAt: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }
  for (const exact of [true, undefined, false]) {
    metrics.observeBlock(makeRecord({ durationMs: 1000, request: { ...request, exact } }))
    metrics.observeBlock(makeRecord({ durationMs: 1000, request: null, work: { ...work, exact } }))
  }
  metrics.observeBlock(makeRecord({ durationMs: 1000, request: { ...request, route: '/more', exact: false } }))
  const found = (await samples()).filter(({ name }) => name === 'loopwatch_blocked_seconds_total')
  assert.deepEqual(found.map(({ labels, value }) => [labels.route, labels.work, value]),
    [['/a', '(none)', 2], ['(none)', 'mail', 2], ['≈ /a', '(none)', 1], ['(none)', '≈ mail', 1], ['(other)', '(none)', 1]])
})

test('however many routes blocks have, certain or in doubt, the option bounds what they add to those of requests', async () => {
  const { metrics, samples } = makeMetrics({ routes: 5 })
  for (let i = 0; i < 5; i++) metrics.requestSeries(`/${i}`, 'GET', '2xx').observe(1)
  for (let i = 0; i < 30; i++) {
    for (const exact of [true, false]) metrics.observeBlock(makeRecord({ request: { method: 'GET', route: `/${i}`, startedAt: '', ended: false, traceId: null, exact } }))
  }
  const blocked = (await samples()).filter(({ name }) => name === 'loopwatch_blocked_seconds_total')
  const routes = new Set(blocked.map(({ labels }) => labels.route))
  assert.equal(routes.size, 5 + 5 + 1, `${[...routes]}`)
})

test('sites beyond twenty go to (other) and are counted as overflow', async () => {
  const { metrics, samples } = makeMetrics()
  for (let line = 1; line <= 100; line++) metrics.observeBlock(makeRecord({ durationMs: 1000, frame: { function: `f${line}`, file: '/srv/app/a.js', line, column: 1, exact: true } }))
  const found = await samples()
  const sites = found.filter(({ name }) => name === 'loopwatch_block_site_seconds_total')
  assert.equal(sites.length, SITES + 1)
  assert.equal(valueOf(found, 'loopwatch_block_site_seconds_total', { site: '(other)' }), 80)
  assert.equal(valueOf(found, 'loopwatch_label_overflow_total', { label: 'site' }), 80)
})

test('one function is one series, whatever its line and however certain that is', async () => {
  const { metrics, samples } = makeMetrics()
  for (const line of [9, 12]) {
    for (const exact of [true, false]) {
      const frame = { function: 'rollUp', file: '/srv/src/rollup.ts', line, column: 1, exact }
      metrics.observeBlock(makeRecord({ durationMs: 1000, frame }))
    }
  }
  const sites = (await samples()).filter(({ name }) => name === 'loopwatch_block_site_seconds_total')
  assert.deepEqual(sites.map(({ labels, value }) => [labels.site, value]), [['rollUp src/rollup.ts', 4]])
})

test('the site of a function without a name is its file and line, without the folders above', async () => {
  const { metrics, samples } = makeMetrics()
  for (const file of ['/very/long/way/to/src/report.js', 'C:\\way\\to\\src\\report.js', 'report.js']) {
    metrics.observeBlock(makeRecord({ frame: { function: null, file, line: 41, column: 1, exact: true } }))
  }
  assert.deepEqual((await samples()).filter(({ name }) => name === 'loopwatch_block_site_seconds_total').map(({ labels }) => labels.site),
    ['(anonymous) src/report.js:41', '(anonymous) report.js:41'])
})

test('label values with line ends, quotes, backslashes and any script are escaped, constant ones too', async () => {
  const odd = 'a\nb "c" \\d\\n {e="f",} # 日本 🎉'
  for (const openMetrics of [false, true]) {
    const { metrics, samples } = makeMetrics({ labels: { service: odd } })
    metrics.observeBlock(makeRecord({ request: { method: 'GET', route: odd, startedAt: '' }, frame: { function: odd, file: '/a/b.js', line: 1, column: 1, exact: true } }))
    const found = await samples(openMetrics)
    assert.equal(found.find(({ name }) => name === 'loopwatch_blocked_seconds_total')?.labels.route, odd)
    assert.equal(found.find(({ name }) => name === 'loopwatch_block_site_seconds_total')?.labels.site, `${odd} a/b.js`)
    for (const { labels, name } of found) assert.equal(labels.service, odd, name)
  }
})

test('constant labels are on every sample and replace none', async () => {
  const made = makeMetrics({ labels: { service: 'checkout', env: 'prod' } })
  const plain = makeMetrics()
  fill(made)
  fill(plain)
  for (const openMetrics of [false, true]) {
    const found = await made.samples(openMetrics)
    const expected = (await plain.samples(openMetrics)).map(({ labels }) => ({ ...labels, service: 'checkout', env: 'prod' }))
    assert.deepEqual(found.map(({ labels }) => labels), expected)
  }
})

test('the names that a constant label may not take are those of the catalogue', () => {
  for (const { labels } of table) {
    for (const label of labels) assert.ok(labelNames.includes(label), label)
  }
  assert.ok(labelNames.includes('le'))
})

test('a watchdog whose predecessor is counted on counts from what it finds', async () => {
  const made = makeMetrics({ countsFromNow: true })
  made.host.shed = { delay: -5, utilization: 3 }
  for (let i = 0; i < 10; i++) made.host.delays.record(2)
  const read = async () => {
    const samples = await made.samples()
    return [
      valueOf(samples, 'loopwatch_eventloop_time_seconds_total', { thread: 'main', state: 'active' }),
      valueOf(samples, 'loopwatch_thread_cpu_seconds_total', { thread: 'main', mode: 'user' }),
      valueOf(samples, 'loopwatch_requests_shed_total', { reason: 'delay' }),
      valueOf(samples, 'loopwatch_eventloop_delay_seconds_count', { thread: 'main' }),
      valueOf(samples, 'loopwatch_eventloop_delay_seconds_bucket', { thread: 'main', le: '+Inf' }),
      valueOf(samples, 'loopwatch_eventloop_delay_seconds_bucket', { thread: 'main', le: '0.0025' })
    ]
  }
  assert.deepEqual(await read(), [0, 0, 0, 0, 0, 0])
  made.host.loop.activeMs += 250
  made.host.cpu.main = { user: 1.5, system: 0.5 }
  made.host.shed.delay = -3
  made.host.delays.record(2)
  assert.deepEqual(await read(), [0.25, 0.25, 2, 1, 1, 1])
})

test('time blocked is counted by work under bounded names, and not for a job that has ended', async () => {
  const { metrics, samples } = makeMetrics({ routes: 1 })
  metrics.workSeries('known', 'job')
  for (const [name, kind, ended] of /** @type {[string, import('../../../../lib/types').WorkKind, boolean][]} */ ([
    ['known', 'job', false], ['first', 'task', false], ['second', 'task', false], ['known', 'job', true], ['GET /a', 'request', false]
  ])) {
    const work = { kind, name, id: '1', parent: null, startedAt: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended }
    metrics.observeBlock(makeRecord({ durationMs: 1000, request: null, work }))
  }
  const found = await samples()
  assert.deepEqual(found.filter(({ name }) => name === 'loopwatch_blocked_seconds_total').map(({ labels, value }) => [labels.work, value]),
    [['known', 1], ['first', 1], ['(other)', 1], ['(none)', 2]])
  assert.equal(found.find(({ name, labels }) => name === 'loopwatch_label_overflow_total' && labels.label === 'work')?.value, 1)
})
