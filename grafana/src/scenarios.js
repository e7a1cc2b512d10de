'use strict'

const { dashboard } = require('./dashboard')
const { stat, timeseries, heatmap } = require('./panels')
const { ofScenario, rate, increase, by, quantile } = require('./queries')
const { labelVariable, targetVariables } = require('./variables')

const VARIANT = '{{scenario}} {{variant}} {{cell}}'
const LABELS = 'scenario, variant, cell'

/** @param {string[]} matchers */
const throughput = (...matchers) => by('sum', LABELS, rate(ofScenario('operations', ...matchers)))
/** @param {number} q @param {string[]} matchers */
const latency = (q, ...matchers) => quantile(q, LABELS, rate(ofScenario('operationDuration:bucket', ...matchers)))
/** @param {string[]} matchers */
const callerBlocked = (...matchers) => by('sum', LABELS, rate(ofScenario('callerBlock:sum', ...matchers)))

const all = [
  stat({
    title: 'Operations/s',
    queries: [[by('sum', '', rate(ofScenario('operations'))), 'operations/s']],
    unit: 'ops',
    width: 8,
    none: 'no scenario is running',
    shows: 'Operations per second with a correct result, of all scenarios that are running.',
    bad: '0 while a scenario is running: it has stopped, or its results are wrong.',
    act: 'look at the terminal of the scenario: it reports a wrong result as an error.'
  }),
  stat({
    title: 'Workers',
    queries: [[by('sum', '', ofScenario('scenarioWorkers')), 'workers']],
    unit: 'short',
    width: 8,
    none: 'no scenario is running',
    shows: 'Workers, processes or goroutines that share the work at the moment.',
    bad: 'more than the machine has cores: variants then compete with themselves. The report marks them as `oversubscribed`.',
    act: 'only use the ratios of such cells, within one run.'
  }),
  stat({
    title: 'Caller blocked',
    queries: [[by('max', '', callerBlocked()), 'share']],
    unit: 'percentunit',
    decimals: 1,
    levels: [0.1, 0.5],
    width: 8,
    none: 'no scenario is running',
    shows: 'Share of time in which the event loop that distributes the work was blocked (for a server: the sum of all its loops), in the worst variant. Reported at the end of a run.',
    bad: 'above 10%: the work was moved, but its cost still blocks the caller.',
    act: 'find the variant, and check what it sends: starting workers and serializing large input block the caller.'
  }),
  timeseries({
    title: 'Throughput by variant',
    queries: [[throughput(), VARIANT]],
    unit: 'ops',
    log: true,
    shows: 'Operations per second. Variants run one after the other, so their lines alternate.',
    bad: 'a line that drops during its own run: warm-up, memory, or a noisy machine.',
    act: 'compare the medians of the report, not the heights of these lines. Repeat the run if the results of one variant differ.'
  }),
  timeseries({
    title: 'Latency by variant',
    queries: [[latency(0.5), `p50 ${VARIANT}`], [latency(0.99), `p99 ${VARIANT}`]],
    unit: 's',
    log: true,
    shows: 'Duration of an operation as its caller sees it: median and p99.',
    bad: 'a p99 ten times the median: queueing, or blocks of the caller.',
    act: 'compare with "Blocks of the caller" at the same moment.'
  }),
  timeseries({
    title: 'Blocks of the caller',
    queries: [[callerBlocked(), VARIANT]],
    unit: 'percentunit',
    shows: 'Share of time in which the event loop of the caller was blocked (for a server: the sum of all its loops), as measured by loopwatch. Reported at the end of a run, so a long run shows as one peak.',
    bad: 'above 10% in a variant that is meant to free the caller.',
    act: 'throughput does not show this cost. For a server, prefer the variant with the smaller share.'
  }),
  heatmap({
    title: 'Durations of the caller\'s blocks',
    queries: [[by('sum', 'le', increase(ofScenario('callerBlock:bucket'))), '{{le}}']],
    unit: 's',
    none: 'no blocks',
    shows: 'Number of the caller\'s blocks by duration. Reported at the end of a run.',
    bad: 'cells above 50 ms: during each of these blocks, a server sends no response.',
    act: 'choose single variants at the top to find the one that blocks.'
  })
]

const HOOKS = 'scenario="hook-calls"'
const hooks = [
  timeseries({
    title: 'Hook calls/s',
    queries: [[throughput(HOOKS), '{{variant}} {{cell}}']],
    unit: 'ops',
    shows: 'Calls per second of a JavaScript hook from Rust: on the main thread, forwarded by it to workers, or directly to workers.',
    bad: 'a variant that is slower with more workers: its scheduler costs more than it gains.',
    act: 'compare race and fifo: the first wakes every waiting call at every completion.'
  }),
  timeseries({
    title: 'Hook calls: blocks of the caller',
    queries: [[callerBlocked(HOOKS), '{{variant}} {{cell}}']],
    unit: 'percentunit',
    shows: 'Share of time in which the main thread was blocked while hooks were called.',
    bad: 'a value far above 0 for direct, in which the main thread has nothing to do.',
    act: 'look for data that still passes through the main thread.'
  })
]

const GOROUTINES = 'scenario="goroutines"'
const goroutines = [
  timeseries({
    title: 'Node and Go: throughput',
    queries: [[throughput(GOROUTINES), '{{variant}} {{cell}}']],
    unit: 'ops',
    shows: 'Requests per second of Node\'s worker threads and Go\'s goroutines for the same work.',
    bad: 'a large gap in a loop beyond 2^31: V8 then counts in floating point and Go in integers, so the gap is not due to threads.',
    act: 'compare cells whose work is the same on both sides, such as sha256.'
  }),
  timeseries({
    title: 'Node and Go: p95',
    queries: [[latency(0.95, GOROUTINES), '{{variant}} {{cell}}']],
    unit: 's',
    log: true,
    shows: '95% of requests had their response within this time.',
    bad: 'a variant that starts a worker for each request: every duration then includes that start.',
    act: 'compare with the fixed pool, which a server would use.'
  })
]

const METRIC = 'loopwatch_scenario_operations_total'
exports.build = () => dashboard({
  name: 'Scenarios',
  tag: 'loopwatch-scenarios',
  description: 'A running scenario, live: throughput and latency of each variant, and how much it blocks its caller. Scrape port 9465 of the machine that runs it.',
  variables: [
    ...targetVariables(METRIC),
    labelVariable('scenario', `${METRIC}{job=~"$job", instance=~"$instance"}`, 'Scenarios by name'),
    labelVariable('variant', `${METRIC}{job=~"$job", instance=~"$instance", scenario=~"$scenario"}`, 'Ways to do the work')
  ],
  rows: [
    { title: 'All scenarios', panels: all },
    { title: 'Hook calls', panels: hooks },
    { title: 'Node and Go', panels: goroutines }
  ]
})
