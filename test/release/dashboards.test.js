'use strict'

// The dashboards as committed: by rules first, then every query in a real Prometheus that scrapes a
// real cluster with scripted blocks. Those of Scenarios are in scenario-dashboard.test.js.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { setTimeout: wait } = require('node:timers/promises')
const { growth, of } = require('../../grafana/src/queries')
const { table } = require('../../lib/tables/metrics')
const scenarios = require('../../scenarios/harness/measure/metrics')
const { eventually } = require('../support/app')
const { dashboards, queriesOf, interpolate, formats, viewer } = require('../support/grafana')
const { startObserved, startTraffic, ask } = require('../support/observed')
const { needs, startPrometheus } = require('../support/tools')

const APPLICATION = ['overview', 'blocks', 'cluster']
const MODERN = ['stat', 'timeseries', 'heatmap', 'table']
/** Windows that the title of a panel names. */
const NAMED_WINDOWS = { '5m': '5 m' }

const rows = [...table, ...scenarios.table]
/** The row of the metric a series belongs to. @param {string} series */
const rowOf = (series) => rows.find(({ name, type }) => series === name || (type === 'histogram' && series.replace(/_(bucket|sum|count)$/, '') === name))

for (const [name, dashboard] of dashboards()) {
  const panels = dashboard.panels.filter((/** @type {any} */ { type }) => type !== 'row')
  const variables = dashboard.templating.list

  test(`${name}: panels are modern, say what they show, what is bad and what to do, and do not overlap`, () => {
    assert.equal(dashboard.editable, false)
    assert.equal(dashboard.graphTooltip, 1, 'one crosshair for all')
    assert.deepEqual(
      dashboard.panels.map((/** @type {any} */ { id }) => id),
      dashboard.panels.map((/** @type {any} */ _, /** @type {number} */ i) => i + 1)
    )
    for (const { title, type, description, datasource, fieldConfig, targets } of panels) {
      assert.ok(MODERN.includes(type), `${title} is a ${type}`)
      assert.match(description, /\S[^]*\n\n\*\*Bad:\*\* \S[^]*\n\n\*\*Do:\*\* \S/, title)
      assert.ok(title && fieldConfig.defaults.unit && targets.length > 0, title)
      for (const { uid } of [datasource, ...targets.map((/** @type {any} */ target) => target.datasource)]) assert.equal(uid, '$' + '{datasource}', title)
    }
    assert.equal(new Set(panels.map((/** @type {any} */ { title }) => title)).size, panels.length, 'titles are unique')
    const cells = new Set()
    for (const { title, gridPos: { x, y, w, h } } of dashboard.panels) {
      assert.ok(x + w <= 24, title)
      for (let i = x; i < x + w; i++) for (let j = y; j < y + h; j++) assert.ok(!cells.has(`${i} ${j}`) && cells.add(`${i} ${j}`), `${title} lies upon another`)
    }
  })

  test(`${name}: variables are chosen by name, all of them at first, and follow the time range`, () => {
    const names = variables.map((/** @type {any} */ variable) => variable.name)
    assert.deepEqual(names, ['datasource', 'job', 'instance', ...(name === 'scenarios' ? ['scenario', 'variant'] : ['worker', 'route'])])
    assert.equal(variables[0].query, 'prometheus')
    for (const { name, multi, includeAll, refresh, allValue, datasource } of variables.slice(1)) {
      assert.ok(multi && includeAll, name)
      assert.equal(refresh, 2, name)
      assert.equal(datasource.uid, '$' + '{datasource}')
      // The labels that a series may lack match with nothing as well.
      assert.equal(allValue, ['worker', 'route'].includes(name) ? '.*' : '.+', name)
    }
  })

  test(`${name}: queries choose job and instance, take rates over what Grafana says, and show no counter raw`, () => {
    for (const { panel, expr, instant } of queriesOf(dashboard)) {
      // At every step of a graph it would look back over the whole of it.
      if (!instant) assert.ok(!expr.includes('$__range'), panel)
      let rest = expr
      const series = () => [...rest.matchAll(/(loopwatch_\w+)\{((?:[^{}`]|`[^`]*`)*)\}(\[[^\]]*\])?/g)]
      assert.ok(series().length > 0, panel)
      for (const [whole, metric, matchers] of series()) {
        assert.ok(rowOf(metric), `${metric} of ${panel} is in no catalogue`)
        for (const label of ['job', 'instance']) assert.ok(matchers.includes(`${label}=~"$${label}"`), `${whole} of ${panel}`)
      }
      // What growth() does to a counter is no raw use of it.
      for (const [whole,,, window = ''] of series()) {
        const bare = whole.slice(0, whole.length - window.length)
        for (const used of ['$__rate_interval', '$__range', ...Object.entries(NAMED_WINDOWS).flatMap(([used, said]) => panel.includes(said) ? [used] : [])]) {
          rest = rest.replaceAll(growth(bare, used), 'growth')
        }
      }
      for (const { 0: whole, 1: metric, 3: window, index } of series()) {
        if (rowOf(metric)?.type === 'gauge') continue
        assert.match(rest.slice(0, index), /\b(rate|increase)\($/, `${whole} of ${panel} is shown raw`)
        assert.equal(window, '[$__rate_interval]', `${whole} of ${panel}`)
      }
    }
  })
}

/** Has promtool judge. @param {import('node:test').TestContext} t @param {object[]} tests */
function checkRules (t, tests) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-rules-'))
  t.after(() => fs.rmSync(dir, { recursive: true }))
  const file = path.join(dir, 'dashboards.test.yml')
  fs.writeFileSync(file, JSON.stringify({ rule_files: [], evaluation_interval: '1m', tests }))
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
}

/** Nothing is chosen. */
const all = { variables: [...['job', 'instance'].map((name) => ({ name, allValue: '.+' })), ...['worker', 'route'].map((name) => ({ name, allValue: '.*' }))] }

test('growth counts the first event of a series, and no past that was not seen', (t) => {
  if (!needs(t, 'promtool')) return
  const expr = interpolate(growth(of('site'), '10m'), { ...all, stepS: 60, scrapeS: 60, rangeS: 600 })
  /** @type {[what: string, threshold: string, counter: string, atM: number, expected: number | null][]} */
  const cases = [
    ['the first event', '0.05x60', '_x20 3x40', 25, 3],
    ['the first event of a young process', '_x20 0.05x40', '_x23 3x40', 28, 3],
    ['nothing since', '0.05x60', '_x20 3x40', 45, 0],
    ['of a process that is gone', '0.05x23 stale', '_x20 3x2 stale', 28, 3],
    ['a long past in a new Prometheus', '_x20 0.05x40', '_x20 300x40', 24, 0],
    ['a long past after an outage', '0.05x10 stale _x9 0.05x40', '300x10 stale _x9 300x40', 26, 0],
    ['a restart', '0.05x60', '300x20 stale _x1 2x40', 26, 2]
  ]
  checkRules(t, cases.map(([name, threshold, counter, atM, value]) => ({
    name,
    interval: '1m',
    input_series: [
      { series: 'loopwatch_config_threshold_seconds{job="a", instance="b"}', values: threshold },
      { series: 'loopwatch_block_site_seconds_total{job="a", instance="b", site="c"}', values: counter }
    ],
    promql_expr_test: [{ expr: `sum(${expr})`, eval_time: `${atM}m`, exp_samples: [{ labels: '{}', value }] }]
  })))
})

test('growth takes nothing for new that a process had done before it forked its first worker', (t) => {
  if (!needs(t, 'promtool')) return
  const site = (/** @type {string} */ labels, /** @type {string} */ values) => ({ series: `loopwatch_block_site_seconds_total{job="a", instance="b", ${labels}}`, values })
  const expr = interpolate(growth(of('site'), '10m'), { ...all, stepS: 60, scrapeS: 60, rangeS: 600 })
  checkRules(t, [
    {
      name: 'the first fork is at 20 m',
      interval: '1m',
      input_series: [
        { series: 'loopwatch_config_threshold_seconds{job="a", instance="b"}', values: '0.05x19 stale' },
        {
          series: 'loopwatch_config_threshold_seconds{job="a", instance="b", worker="primary"}',
          values: '_x20 0.05x40'
        },
        { series: 'loopwatch_config_threshold_seconds{job="a", instance="b", worker="1"}', values: '_x20 0.05x40' },
        site('site="old"', '600x19 stale'),
        site('site="old", worker="primary"', '_x20 600x5 601x35'),
        site('site="new", worker="primary"', '_x24 3x40'),
        site('site="new", worker="1"', '_x25 2x40')
      ],
      promql_expr_test: [
        [19, 0, null],
        [21, 0, null],
        [23, 0, null],
        [25, 0, 5],
        [29, 1, 5],
        [31, 1, 5],
        [45, 0, 0]
      ].map(([atM, old, fresh]) => ({
        expr: `round(sum by (site) (${expr}))`,
        eval_time: `${atM}m`,
        exp_samples: [
          ['old', old],
          ['new', fresh]
        ].flatMap(([name, value]) => (value === null ? [] : [{ labels: `{site="${name}"}`, value }]))
      }))
    }
  ])
})

test('a slot whose worker is gone, whose counters stay, is left out of what workers are compared by', (t) => {
  if (!needs(t, 'promtool')) return
  const cluster = dashboards().get('cluster')
  const panels = new Map(queriesOf(cluster).map(({ panel, refId, expr }) => [`${panel} ${refId}`, interpolate(expr, { ...all, stepS: 15, scrapeS: 15, rangeS: 600 })]))
  /** A worker gone at 5 m. @param {string} name @param {string} labels @param {number} step @param {number} worker */
  const counter = (name, labels, step, worker) =>
    ({ series: `${name}{job="a", instance="b", worker="${worker}"${labels}}`, values: worker === 3 ? `0+${step}x20 ${20 * step}x60` : `0+${step}x80` })
  /** @type {[panel: string, labels: string, values: number[]][]} */
  const cases = [
    ['Imbalance now A', '', [1.5]],
    ['Imbalance A', 'instance="b", job="a"', [1.5]],
    ['Imbalance B', 'instance="b", job="a"', [1]],
    ['Workers A', 'instance="b", job="a", worker="W"', [0.6, 0.2]],
    ['Workers B', 'instance="b", job="a", worker="W"', [0.99, 0.99]],
    ['Workers D', 'instance="b", job="a", worker="W"', [10, 10]],
    ['Utilization by worker A', 'instance="b", job="a", worker="W"', [0.6, 0.2]],
    ['Loop delay p99 by worker A', 'instance="b", job="a", worker="W"', [0.99, 0.99]],
    ['Requests/s by worker A', 'instance="b", job="a", worker="W"', [10, 10]],
    ['CPU by worker A', 'instance="b", job="a", worker="W"', [0.4, 0.4]]
  ]
  checkRules(t, [{
    name: 'scaled from three workers to two',
    interval: '15s',
    input_series: [
      ...[9, 3, 3].flatMap((activeS, i) => [
        counter('loopwatch_eventloop_time_seconds_total', ', thread="main", state="active"', activeS, i + 1),
        counter('loopwatch_eventloop_time_seconds_total', ', thread="main", state="idle"', 15 - activeS, i + 1),
        counter('loopwatch_eventloop_delay_seconds_bucket', ', thread="main", le="1"', 100, i + 1),
        counter('loopwatch_eventloop_delay_seconds_bucket', ', thread="main", le="+Inf"', 100, i + 1),
        counter('loopwatch_http_request_duration_seconds_count', '', 150, i + 1),
        counter('loopwatch_thread_cpu_seconds_total', ', thread="main"', 6, i + 1)
      ]),
      ...[1, 2, 3].map((worker) => ({ series: `loopwatch_build_info{job="a", instance="b", worker="${worker}"}`, values: worker === 3 ? '1x20 stale' : '1x80' }))
    ],
    promql_expr_test: cases.map(([panel, labels, values]) => ({
      expr: `round(${panels.get(panel)}, 0.001)`,
      eval_time: '15m',
      exp_samples: values.map((value, i) => ({ labels: `{${labels.replace('W', `${i + 1}`)}}`, value }))
    }))
  }])
})

const REPORT = '/report/:id'
/** Every character that means something to a regular expression, to PromQL or to Grafana. */
// eslint-disable-next-line no-template-curly-in-string
const ODD = ['/users/:id(\\d+)', '/a.b|c*d', '/say "hi" to ${job} $worker \'x\'', '/[^x]{2}?+']
const BLOCK_MS = 550
const LONG_MS = 3500
/** The figures that prom-client's default metrics have for the event loop. */
const LAGS = '{job="prom_client", __name__=~"nodejs_eventloop_lag_.*seconds"}'

test('in a real Prometheus', async (t) => {
  if (!needs(t, 'prometheus') || !needs(t, 'promtool')) return
  const shop = await startObserved(t, 2)
  const single = await startObserved(t, 0)
  const [first, second] = shop.servers()
  const prometheus = await startPrometheus(t, {
    shop: new URL(shop.url).host,
    single: new URL(single.url).host,
    prom_client: `127.0.0.1:${first.port}`
  }, ['--enable-feature=exemplar-storage', '--query.lookback-delta=5s'])
  const startS = Date.now() / 1000
  const gone = new Set()
  const stopTraffic = startTraffic(
    () => [...shop.servers(), ...single.servers()].filter(({ pid }) => !gone.has(pid)).map(({ port }) => port),
    [REPORT, ...ODD]
  )
  t.after(stopTraffic)
  await eventually(async () => (await prometheus('count_over_time(up[1m]) >= 4 and up == 1')).length === 3, 'all three targets to be up')

  const callPeer = () => ask(single.servers()[0].port, REPORT, `?call=${single.url}/healthz`)
  await callPeer()
  await ask(first.port, REPORT, `?ms=${BLOCK_MS}`)
  await ask(second.port, REPORT, '?thread=400')
  await ask(first.port, REPORT, '?job=150')
  for (let i = 0; i < 8; i++) await ask(second.port, `/many/${i}/:x`, '?status=500')
  for (let i = 0; i < 25; i++) await ask(second.port, REPORT, '?ms=60')
  await callPeer()
  await ask(second.port, REPORT, '?sleep=300')
  process.kill(second.pid, 'SIGSTOP')
  await wait(500)
  process.kill(second.pid, 'SIGCONT')
  await wait(1500)
  await ask(first.port, ODD[0], `?ms=${LONG_MS}`)
  gone.add(second.pid)
  process.kill(second.pid, 'SIGKILL')
  await wait(1000)
  await shop.fork()
  await wait(3500)
  await stopTraffic()
  const endS = Date.now() / 1000

  const { view, call, show, numbers, empty, offered } = viewer(prometheus, { startS, endS })
  const byName = dashboards()

  await t.test('every query of every panel returns data', async () => {
    for (const name of APPLICATION) assert.deepEqual(await empty(byName.get(name)), [], name)
  })

  await t.test('a known block is in its bucket, its table, its exemplar and its record', async () => {
    const blocks = byName.get('blocks')
    const records = /** @type {any} */ (await (await fetch(`${shop.url}/blocks`)).json())
    const { worker } = records.find((/** @type {any} */ { pid }) => pid === first.pid)
    const shown = { variables: blocks.templating.list, chosen: { job: ['shop'], worker: [`${worker}`], route: [REPORT] } }
    const { expr } = /** @type {any} */ (queriesOf(blocks).find(({ panel }) => panel === 'Durations'))
    const { result } = await call('query', { query: interpolate(expr.replaceAll('$__rate_interval', '$__range'), { ...view, ...shown }), time: endS })
    /** @type {Map<string, number>} */
    const buckets = new Map(result.map((/** @type {any} */ { metric, value }) => [metric.le, Number(value[1])]))
    // Others than the scripted ones may come on a busy machine; the records say which there were.
    /** @type {any[]} */
    const own = records.filter((/** @type {any} */ record) => record.pid === first.pid && record.thread === 'main')
    // A block of the last moments has a record and no scrape yet.
    const scrapedMs = (endS - 3) * 1000
    for (const [low, high] of [[0.25, 0.5], [0.5, 1], [1, 2.5], [2.5, 5], [5, 10]]) {
      const inside = own.filter(({ durationMs }) => durationMs > low * 1000 && durationMs <= high * 1000)
      const least = inside.filter(({ startup, excused, startedAt, durationMs }) =>
        !startup && !excused && Date.parse(startedAt) + durationMs < scrapedMs).length
      const counted = Math.round(Number(buckets.get(`${high}`)) - Number(buckets.get(`${low}`)))
      assert.ok(
        counted >= least && counted <= inside.length,
        `${counted} of ${low} to ${high} s, ${least} to ${inside.length} records: ${JSON.stringify([...buckets])}`
      )
    }
    const known = own.find(({ durationMs, request }) =>
      durationMs >= BLOCK_MS && durationMs < LONG_MS && request?.route === REPORT)
    assert.ok(known && own.some(({ durationMs }) => durationMs >= LONG_MS), JSON.stringify(own))

    const [{ value }] = await show(blocks, 'Routes that block', shown)
    const byReport = own.filter(({ request }) => request?.route === REPORT).map(({ durationMs }) => durationMs / 1000)
    const [longestS, allS] = [Math.max(...byReport), byReport.reduce((sumS, eachS) => sumS + eachS, 0)]
    assert.ok(longestS >= 0.5)
    // What others add on a busy machine may have a record and no scrape yet.
    assert.ok(value[1] > longestS * 0.9 && value[1] < allS * 1.1, `${value[1]} s by ${REPORT}, of which records have ${byReport} s`)

    const [work] = await show(blocks, 'Work that blocks', shown)
    assert.equal(work.metric.work, 'report:nightly')
    assert.ok(work.value[1] > 0.1, `${work.value[1]} s by a task of 150 ms`)

    const duration = /** @type {any} */ (queriesOf(blocks).find(({ panel }) => panel === 'Duration of blocks'))
    const found = await call('query_exemplars', { query: interpolate(duration.expr, { ...view, ...shown }), start: startS, end: endS })
    const exemplar = found
      .flatMap((/** @type {any} */ { exemplars }) => exemplars)
      .find((/** @type {any} */ { labels }) => labels.block_id === known.id)
    assert.ok(exemplar, `${known.id} in ${JSON.stringify(found)}`)
    const record = /** @type {any} */ (await (await fetch(`${shop.url}/blocks/${exemplar.labels.block_id}`)).json())
    assert.equal(record.frame.function, 'spin')
    assert.ok(Math.abs(record.durationMs / 1000 - Number(exemplar.value)) < 0.001)
  })

  await t.test('a long block: loopwatch stays up and shows it, the defaults of prom-client in the same process do neither', async () => {
    const over = `[${view.rangeS}s] @ ${endS}`
    const up = new Map((await prometheus(`min_over_time(up${over})`)).map(({ metric, value }) => [metric.job, value[1]]))
    assert.deepEqual([up.get('shop'), up.get('single'), up.get('prom_client')], ['1', '1', '0'])

    const longestS = Math.max(...numbers(await show(byName.get('overview'), 'Blocked now')))
    assert.ok(longestS > 1.5, `in progress at the scrapes: at most ${longestS} s`)
    assert.ok(Math.max(...numbers(await show(byName.get('overview'), 'Longest block, 5 m'))) >= LONG_MS / 1000)

    // Scrapes that time out run once the block has ended, and reset what nobody has read. Nothing
    // recorded reads as 9.2e9 s in the minimum.
    const lags = numbers((await call('query', { query: `${LAGS}[${view.rangeS}s]`, time: endS })).result).filter((seconds) => seconds < 1e9)
    assert.ok(lags.length > 50, `${lags.length} figures`)
    assert.ok(Math.max(...lags) < 1, `prom-client has a lag of ${Math.max(...lags)} s`)
  })

  await t.test('a worker that was replaced counts as one restart', async () => {
    const [{ value }] = await show(byName.get('cluster'), 'Restarts in the time range')
    assert.equal(Math.round(value[1]), 1)
  })

  await t.test('every variable has its values', async () => {
    const expected = { job: ['shop', 'single'], instance: [shop, single].map(({ url }) => new URL(url).host), worker: ['1', '2', 'primary'], route: [REPORT, ...ODD] }
    for (const dashboard of APPLICATION) {
      for (const [name, values] of Object.entries(await offered(byName.get(dashboard)))) {
        for (const value of expected[/** @type {'job'} */ (name)]) assert.ok(values.includes(value), `${value} in ${name} of ${dashboard}: ${values}`)
      }
    }
  })

  await t.test('values of variables stand for themselves, whatever characters they have', async () => {
    const overview = byName.get('overview')
    const routesOf = async (/** @type {Partial<Parameters<typeof interpolate>[1]>} */ differences) =>
      (await show(overview, 'Requests/s by route', differences)).map(({ metric }) => metric.route).sort()
    for (const regex of Object.values(formats)) {
      for (const chosen of [...ODD.map((route) => [route]), [REPORT], ODD, [ODD[2], REPORT]]) {
        assert.deepEqual(await routesOf({ regex, chosen: { route: chosen } }), [...chosen].sort())
      }
    }
    assert.deepEqual(await routesOf({ chosen: { route: ['/.*'] } }), [], 'no pattern')
    const processesOf = async (/** @type {Record<string, string[]>} */ chosen) =>
      (await show(overview, 'Utilization by process', { chosen })).map(({ metric: { job, worker } }) => `${job} ${worker}`).sort()
    assert.deepEqual(await processesOf({}), ['shop 1', 'shop 2', 'shop primary', 'single undefined'])
    assert.deepEqual(await processesOf({ worker: ['2', 'primary'] }), ['shop 2', 'shop primary'])
    assert.deepEqual(await processesOf({ job: ['single'] }), ['single undefined'], 'a process outside a cluster has no worker')
    assert.deepEqual(await processesOf({ instance: [new URL(shop.url).host] }), ['shop 1', 'shop 2', 'shop primary'])
  })

  await t.test('promtool has nothing to say about the live metrics', async () => {
    for (const { url } of [shop, single]) {
      const input = await (await fetch(`${url}/metrics`)).text()
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
      assert.deepEqual([status, stdout, stderr], [0, '', ''])
    }
  })
})
