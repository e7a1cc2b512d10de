'use strict'

const { table } = require('../../lib/tables/metrics')
const scenarios = require('../../scenarios/harness/measure/metrics')

const names = new Map([...table, ...scenarios.table].map(({ key, name }) => [key, name]))

// Backquotes and the regex format: in double quotes, Grafana does not escape the quotes of a value,
// and the route is the only label with any character in its values.
// eslint-disable-next-line no-template-curly-in-string
const ROUTE = 'route=~`${route:regex}`'
const TARGET = ['job=~"$job"', 'instance=~"$instance"']
/** A process outside a cluster has no label worker, which `.*` matches as well. */
const PROCESS = [...TARGET, 'worker=~"$worker"']
const SCENARIO = [...TARGET, 'scenario=~"$scenario"', 'variant=~"$variant"']
const PROCESS_LABELS = 'job, instance, worker'
const RATE = '$__rate_interval'

/** @param {string[]} common */
const selecting = (common) => (/** @type {string} */ key, /** @type {string[]} */ ...matchers) => {
  const [row, suffix] = key.split(':')
  const name = names.get(row)
  if (name === undefined) throw new Error(`no metric ${row} in lib/tables/metrics.js or scenarios/harness/measure/metrics.js`)
  return `${name}${suffix ? `_${suffix}` : ''}{${[...common, ...matchers].join(', ')}}`
}

/** Series of the chosen processes: a key of the catalogue, `:bucket`, `:sum` or `:count` of a histogram, matchers. */
const of = selecting(PROCESS)
/** The same without the worker, for metrics of a whole target. */
const ofTarget = selecting(TARGET)
const ofScenario = selecting(SCENARIO)

/** @param {string} series */
const rate = (series) => `rate(${series}[${RATE}])`
/** @param {string} series */
const increase = (series) => `increase(${series}[${RATE}])`

/**
 * Growth of series that only appear with their first event, such as those of a route that blocks. increase() takes
 * the first value of a series as its start, and so misses that event, which is often the only one. Here, the first
 * value counts if the series began within the window and later than its target, which shows as fewer samples. After an
 * outage, or in a new Prometheus, both have the same number of samples, and an unseen past does not count as growth.
 * A process gets the label worker with its first fork, and all its series begin anew. From then on, the series of its
 * primary show when the target began.
 * @param {string} series
 * @param {string} [window]
 */
const growth = (series, window = RATE) => {
  const seen = (/** @type {string[]} */ ...matchers) => by('max', 'job, instance', `count_over_time(${ofTarget('threshold', ...matchers)}[${window}])`)
  const isNew = `count_over_time(${series}[${window}]) < on (job, instance) group_left () (${seen('worker="primary"')} or ${seen()})`
  return `((max_over_time(${series}[${window}]) unless ${series} offset ${window} and (${isNew})) or increase(${series}[${window}]))`
}

/** The same per second. @param {string} series */
const growthRate = (series) => `${growth(series)} / ($__rate_interval_ms / 1000)`

/** @param {string} operator sum, max, ... @param {string} labels `a, b`, or none @param {string} expression */
const by = (operator, labels, expression) => `${operator}${labels ? ` by (${labels}) ` : ''}(${expression})`

/** @param {number} quantile @param {string} labels without le @param {string} buckets rates or increases of buckets */
const quantile = (quantile, labels, buckets) => `histogram_quantile(${quantile}, ${by('sum', labels ? `${labels}, le` : 'le', buckets)})`

/**
 * The exact longest block of main threads: the gauge shows the longest of a minute, and scrapes are more frequent. A
 * block in progress counts instead if a scrape saw it longer.
 * @param {string} window
 */
const longestBlock = (window) => {
  const [ended, going] = ['longest', 'inProgress'].map((key) => by('max', '', `max_over_time(${of(key, 'thread="main"')}[${window}])`))
  return `${ended} > ${going} or ${going}`
}

/** Share of active time. @param {string} labels */
const utilization = (labels) =>
  `${by('sum', labels, rate(of('loopTime', 'thread="main"', 'state="active"')))} / ${by('sum', labels, rate(of('loopTime', 'thread="main"')))}`

/**
 * Without slots of workers that have ended or are silent: their counters remain and stop growing, which looks like
 * an idle worker or gives no number. Gauges exist only for running workers.
 * @param {string} expression with the labels of a process
 */
const ofLiving = (expression) => `${expression} and on (${PROCESS_LABELS}) ${of('buildInfo')}`

module.exports = {
  ROUTE,
  PROCESS_LABELS,
  of,
  ofLiving,
  ofTarget,
  ofScenario,
  rate,
  increase,
  growth,
  growthRate,
  longestBlock,
  by,
  quantile,
  utilization
}
