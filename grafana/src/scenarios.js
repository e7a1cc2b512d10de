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
    shows: 'Operations that came back with the right result, of all that is running.',
    bad: '0 while a scenario runs: it has stopped, or its results are wrong.',
    act: 'look at the terminal of the scenario. A result that is wrong is an error there, not a number.'
  }),
  stat({
    title: 'Workers',
    queries: [[by('sum', '', ofScenario('scenarioWorkers')), 'workers']],
    unit: 'short',
    width: 8,
    none: 'no scenario is running',
    shows: 'Workers, processes or goroutines that share the work at present.',
    bad: 'more than the machine has cores: variants then compete with themselves, marked `oversubscribed` in the report.',
    act: 'read such cells as ratios within one run at most.'
  }),
  stat({
    title: 'Caller blocked',
    queries: [[by('max', '', callerBlocked()), 'share']],
    unit: 'percentunit',
    decimals: 1,
    levels: [0.1, 0.5],
    width: 8,
    none: 'no scenario is running',
    shows: 'Share of time the event loop that hands out the work was blocked (of a server: all its loops added up), in the worst variant. Reported when a run ends.',
    bad: 'above 10%: the work was offloaded, its cost was not.',
    act: 'see which variant, and what it sends: starting workers and serialising large input block the caller.'
  }),
  timeseries({
    title: 'Throughput by variant',
    queries: [[throughput(), VARIANT]],
    unit: 'ops',
    log: true,
    shows: 'Operations per second. Variants run in turn, so lines take turns as well.',
    bad: 'a line that falls within its own turn: warm-up, memory, or a noisy machine.',
    act: 'compare medians of the report rather than heights here; repeat where turns of one variant differ.'
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
    shows: 'Share of time the event loop that calls was blocked (of a server: all its loops added up), as loopwatch itself measures it. Reported when a run ends, so a long run shows as one peak.',
    bad: 'above 10% in a variant that is meant to free the caller.',
    act: 'this is the price that throughput does not show; prefer the variant with less of it for a server.'
  }),
  heatmap({
    title: 'Durations of the caller\'s blocks',
    queries: [[by('sum', 'le', increase(ofScenario('callerBlock:bucket'))), '{{le}}']],
    unit: 's',
    none: 'no blocks',
    shows: 'Number of the caller\'s blocks by duration, when the run they belong to ends.',
    bad: 'cells above 50 ms: each is a moment in which a server answers nobody.',
    act: 'choose single variants above to find whose they are.'
  })
]

const HOOKS = 'scenario="hook-calls"'
const hooks = [
  timeseries({
    title: 'Hook calls/s',
    queries: [[throughput(HOOKS), '{{variant}} {{cell}}']],
    unit: 'ops',
    shows: 'Calls of a JavaScript hook from Rust per second: on the main thread, passed on by it, or straight to workers.',
    bad: 'a variant with more workers that is slower: its scheduler costs more than it gains.',
    act: 'compare race and fifo: the first wakes every waiting call at every completion.'
  }),
  timeseries({
    title: 'Hook calls: blocks of the caller',
    queries: [[callerBlocked(HOOKS), '{{variant}} {{cell}}']],
    unit: 'percentunit',
    shows: 'Share of time the main thread was blocked while hooks were called.',
    bad: 'anything much above 0 in direct, where the main thread has nothing to do.',
    act: 'if it is there, look for data that still goes through the main thread.'
  })
]

const GOROUTINES = 'scenario="goroutines"'
const goroutines = [
  timeseries({
    title: 'Node and Go: throughput',
    queries: [[throughput(GOROUTINES), '{{variant}} {{cell}}']],
    unit: 'ops',
    shows: 'Requests per second of Node\'s worker threads and Go\'s goroutines for the same work.',
    bad: 'a large gap in a loop beyond 2^31: then V8 counts in floating point and Go in integers, which says nothing of threads.',
    act: 'compare cells whose work is the same on both sides, such as sha256.'
  }),
  timeseries({
    title: 'Node and Go: p95',
    queries: [[latency(0.95, GOROUTINES), '{{variant}} {{cell}}']],
    unit: 's',
    log: true,
    shows: '95 of 100 requests were answered within this time.',
    bad: 'a variant that starts a worker for each request: its start is in every one of them.',
    act: 'compare with the fixed pool, which is what a server would use.'
  })
]

const METRIC = 'loopwatch_scenario_operations_total'
exports.build = () => dashboard({
  name: 'Scenarios',
  tag: 'loopwatch-scenarios',
  description: 'What a running scenario does, live: throughput and latency of each variant, and how much it blocks its caller. Scrape port 9465 of the machine that runs it.',
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
