'use strict'

const { table } = require('../../lib/tables/metrics')
const scenarios = require('../../scenarios/harness/measure/metrics')

const names = new Map([...table, ...scenarios.table].map(({ key, name }) => [key, name]))

// Backquotes and the regex format: in double quotes Grafana leaves the quotes of a value as they are,
// and the route is the one label whose value may hold any character.
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

/** Series of the chosen processes: the key of the catalogue, `:bucket`, `:sum` or `:count` of a histogram, matchers. */
const of = selecting(PROCESS)
/** The same without the worker, for what a whole target has. */
const ofTarget = selecting(TARGET)
const ofScenario = selecting(SCENARIO)

/** @param {string} series */
const rate = (series) => `rate(${series}[${RATE}])`
/** @param {string} series */
const increase = (series) => `increase(${series}[${RATE}])`

/**
 * By how much series have grown that come with the first event, as those of a route that blocks. increase()
 * takes a series' first value for its start and so misses that event, which may well be the only one.
 * Here it counts for a series that began within the window and later than its target did: it has fewer
 * samples. After an outage, or in a new Prometheus, both have as many, and a past that was not seen is no growth.
 * With its first fork a process gets the label worker, and all its series begin anew: from then on its
 * primary says since when the target is there.
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

/** @param {number} quantile @param {string} labels besides le @param {string} buckets rates or increases of buckets */
const quantile = (quantile, labels, buckets) => `histogram_quantile(${quantile}, ${by('sum', labels ? `${labels}, le` : 'le', buckets)})`

/**
 * The longest block of the main threads, exactly: the gauge has the longest of a minute, and scrapes come more often.
 * Where one in progress was seen to be longer, that is it.
 * @param {string} window
 */
const longestBlock = (window) => {
  const [ended, going] = ['longest', 'inProgress'].map((key) => by('max', '', `max_over_time(${of(key, 'thread="main"')}[${window}])`))
  return `${ended} > ${going} or ${going}`
}

/** Active time of all time. @param {string} labels */
const utilization = (labels) =>
  `${by('sum', labels, rate(of('loopTime', 'thread="main"', 'state="active"')))} / ${by('sum', labels, rate(of('loopTime', 'thread="main"')))}`

/**
 * Without the slots of workers that are gone or silent: their counters stay and rest, which reads as
 * no number, or as a worker that idles. Gauges are those of the living.
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
