'use strict'

const { BigValueTextMode } = require('@grafana/grafana-foundation-sdk/common')
const { MAIN, PROCESS, blockedBy } = require('./blocked')
const { dashboard } = require('./dashboard')
const { stat, timeseries, heatmap, table } = require('./panels')
const { ROUTE, PROCESS_LABELS, of, rate, increase, growth, longestBlock, by, quantile, utilization } = require('./queries')
const { remedies } = require('./remedies')
const { applicationVariables } = require('./variables')

const requests = (/** @type {string[]} */ ...matchers) => rate(of('requestDuration:count', ROUTE, ...matchers))
const p95 = (/** @type {string} */ labels) => quantile(0.95, labels, rate(of('requestDuration:bucket', ROUTE)))

const now = [
  stat({
    title: 'Blocked now',
    queries: [[by('max', '', of('inProgress', MAIN)), 'longest']],
    unit: 's',
    decimals: 1,
    levels: [0.05, 1],
    width: 3,
    shows: 'How long the event loop has been blocked by the block in progress, of the process that has been longest. The watchdog thread reports it, so it keeps rising while the process answers nobody.',
    bad: 'anything above 0 on several refreshes in a row; above a second, every client of that process waits.',
    act: 'open /blocks of that instance, or its log: both show the line and the request while the block lasts.'
  }),
  stat({
    title: 'Longest block, 5 m',
    queries: [[longestBlock('5m'), 'longest']],
    unit: 's',
    levels: [0.25, 1],
    shows: 'The longest block that ended within five minutes, or what was seen of one in progress if that is longer.',
    bad: 'more than your slowest request may take: that long every request of the process stood still.',
    act: 'find it under "Where the time goes" in the dashboard Blocks, or by its exemplar there.'
  }),
  stat({
    title: 'Time blocked, 5 m',
    queries: [[by('max', '', `${by('sum', PROCESS_LABELS, growth(of('blocked', ROUTE), '5m'))} / 300`), 'share']],
    unit: 'percentunit',
    decimals: 1,
    levels: [0.01, 0.1],
    none: '0%',
    shows: 'Share of the last five minutes in which the event loop was blocked, of the process with the largest.',
    bad: 'above 1% latencies have a tail that no other metric explains; above 10% the process is in trouble.',
    act: 'see the causes below: js and native want other code or a worker thread, starved wants CPU.'
  }),
  stat({
    title: 'Utilization',
    queries: [[by('max', '', utilization(PROCESS_LABELS)), 'highest']],
    unit: 'percentunit',
    min: 0,
    max: 1,
    decimals: 0,
    levels: [0.7, 0.9],
    width: 3,
    shows: 'Share of time the event loop was active rather than waiting for events, of the busiest process.',
    bad: 'above 70% delays grow steeply with each further request; at 100% a queue builds up.',
    act: 'add processes, or take work off the loop. High utilization without blocks is load, with blocks it is code.'
  }),
  stat({
    title: 'Loop delay p99',
    queries: [[by('max', '', quantile(0.99, PROCESS_LABELS, rate(of('delay:bucket', MAIN)))), 'highest']],
    unit: 's',
    levels: [0.05, 0.25],
    shows: 'One timer in a hundred came at least this late, in the process where it is worst: what every callback waits in addition to its own work.',
    bad: 'above 50 ms users notice; a p99 that is far above the median means blocks rather than load.',
    act: 'compare with "Utilization": low there and high here is a few long blocks, high in both is saturation.'
  }),
  stat({
    title: 'Requests/s',
    queries: [[by('sum', '', requests()), 'requests/s']],
    unit: 'reqps',
    decimals: 1,
    width: 3,
    shows: 'HTTP requests answered per second by all chosen processes, for the chosen routes.',
    bad: 'a sudden fall while "Blocked now" is above 0: requests queue up in front of a blocked loop.',
    act: 'look at the marks of blocks at the moment of the fall. A fall without one has its cause upstream of the process.'
  }),
  stat({
    title: 'Duration p95',
    queries: [[p95(''), 'p95']],
    unit: 's',
    levels: [0.5, 2],
    width: 3,
    shows: '95 of 100 requests were answered within this time, including connection and queueing in the process.',
    bad: 'whatever your clients time out at, halved.',
    act: 'see "Share of duration lost to blocks": a large share means that another request is to blame, not this route.'
  })
]

const loop = [
  blockedBy('site', of('site'), {
    title: 'Time blocked by function',
    shows: 'Share of time blocked by each function of the application, with file and line, averaged over the chosen processes. A block counts when it ends.',
    bad: 'any function that remains: this line makes requests wait.',
    act: 'open that line. The instance\'s live page and `/blocks` have the stack and the request.'
  }),
  blockedBy('cause', of('blocked', ROUTE), {
    title: 'Time blocked by cause',
    shows: 'Share of time blocked, averaged over the chosen processes, by what caused it. A block counts when it ends, so one longer than the interval shows as more than 100%.',
    bad: 'a colour that remains: blocks of one cause again and again. Grey is not the fault of the code.',
    act: remedies
  }),
  timeseries({
    title: 'Utilization by process',
    queries: [[utilization(PROCESS_LABELS), PROCESS]],
    unit: 'percentunit',
    max: 1,
    levels: [0.7, 0.9],
    shows: 'Share of time each event loop was active, in the interval rather than since the start.',
    bad: 'a process that stays above 70%, or one far above the others.',
    act: 'all high: scale out. One high: see Cluster for imbalance, or a job that runs only there.'
  }),
  heatmap({
    title: 'Loop delay',
    queries: [[by('sum', 'le', increase(of('delay:bucket', MAIN))), '{{le}}']],
    unit: 's',
    shows: 'How late timers ran, over time: each column is an interval; the closer a cell is to yellow, the more timers it has.',
    bad: 'a second band above the first: most timers run in time and some wait long, which an average hides.',
    act: 'a band that moves up with the load is saturation; single cells far up are blocks, each with a mark.'
  }),
  timeseries({
    title: 'Block in progress by process',
    queries: [[`${of('inProgress', MAIN)} > 0`, PROCESS]],
    unit: 's',
    none: 'no process was blocked when it was scraped',
    shows: 'Length of the block that was in progress when the process was scraped. Only blocks longer than the scrape interval are sure to be seen here.',
    bad: 'a line that climbs by a second per second: the loop is stuck.',
    act: 'read the line from /blocks of the instance, then end the process; `stuck` with `onStuck: \'abort\'` does so by itself.'
  })
]

const red = [
  timeseries({
    title: 'Requests/s by route',
    queries: [[by('sum', 'route', requests()), '{{route}}']],
    unit: 'reqps',
    width: 8,
    shows: 'Requests answered per second, by route.',
    bad: 'a route that falls to nothing while the others go on, or all that fall together at a block.',
    act: 'one route: look at its errors and duration. All: look at the event loop above.'
  }),
  timeseries({
    title: 'Server errors by route',
    // Grown and not rated: the first error of a route begins its series.
    queries: [[`${by('sum', 'route', growth(of('requestDuration:count', ROUTE, 'status_class="5xx"')))} / ${by('sum', 'route', growth(of('requestDuration:count', ROUTE)))}`, '{{route}}']],
    unit: 'percentunit',
    width: 8,
    none: 'no server errors',
    shows: 'Share of requests answered with 5xx, by route. Shed requests are among them.',
    bad: 'anything above your error budget; a rise right after a block is clients that gave up or upstreams that timed out meanwhile.',
    act: 'compare with the marks of blocks, and with "Requests shed".'
  }),
  timeseries({
    title: 'Duration p95 by route',
    queries: [[p95('route'), '{{route}}']],
    unit: 's',
    width: 8,
    shows: '95 of 100 requests of a route were answered within this time.',
    bad: 'quick routes that become slow together: they wait for one that blocks.',
    act: 'the route that blocks is in the dashboard Blocks under "Time blocked by route".'
  }),
  timeseries({
    title: 'Share of duration lost to blocks',
    queries: [[`${by('sum', 'route', rate(of('requestBlocked:sum', ROUTE)))} / ${by('sum', 'route', rate(of('requestDuration:sum', ROUTE)))}`, '{{route}}']],
    unit: 'percentunit',
    width: 8,
    shows: 'How much of the duration of a route\'s requests passed while something else blocked the loop: what its own code cannot improve.',
    bad: 'above 10%: this route is a victim.',
    act: 'do not optimise this route; find the culprit in Blocks.'
  }),
  timeseries({
    title: 'Requests in flight',
    queries: [[of('inFlight'), PROCESS]],
    unit: 'short',
    width: 8,
    shows: 'Requests that have arrived and are not answered yet, by process.',
    bad: 'a steady climb: more requests arrive than are answered.',
    act: 'with low utilization the wait is for a database or an upstream; with high utilization shed load or scale out.'
  }),
  timeseries({
    title: 'Requests shed',
    queries: [[by('sum', 'reason', rate(of('shed'))), '{{reason}}']],
    unit: 'reqps',
    width: 8,
    none: 'no shedding',
    shows: 'Requests answered 503 by the middleware because the loop was over a limit, by the limit.',
    bad: 'anything above 0 for minutes: capacity is missing.',
    act: 'scale out, or find the blocks that push the delay over its limit.'
  })
]

/** Why requests may wait although the loop is free, and what the garbage collector has to do with it. */
const resources = [
  timeseries({
    title: 'Wait for the thread pool',
    queries: [
      [quantile(0.99, `kind, ${PROCESS_LABELS}`, rate(of('poolDelay:bucket'))), `{{kind}}, p99, ${PROCESS}`]
    ],
    unit: 's',
    width: 8,
    shows: 'How long fs, crypto and zlib (thread_pool) and dns.lookup() (dns_lookups, half of the threads at most) wait for one of libuv\'s threads, measured while the process works.',
    bad: 'above 0.1 s: requests wait although the loop is free.',
    act: 'see the log for `pool_full`; raise UV_THREADPOOL_SIZE, keep connections alive, or take fewer at a time.'
  }),
  timeseries({
    title: 'Slow without a block',
    queries: [[by('sum', `kind, ${PROCESS_LABELS}`, increase(of('slow'))), `{{kind}}, ${PROCESS}`]],
    unit: 'short',
    width: 8,
    shows: 'How often the thread pool was full (thread_pool), the part of it for DNS lookups (dns_lookups), the loop busy with short turns for ten seconds (busy_loop), all worker threads of one name (worker_threads), or requests waited for another service (waiting).',
    bad: 'anything, while requests are slow.',
    act: 'the log says with what (`pool_full`, `busy`, `waiting`): see docs/operate/slow-without-a-block.md.'
  }),
  timeseries({
    title: 'Memory',
    queries: [
      [of('rss'), `resident, ${PROCESS}`], [of('heapUsed'), `heap, ${PROCESS}`], [of('heapLimit'), `heap limit, ${PROCESS}`],
      [of('external'), `outside the heap, ${PROCESS}`]
    ],
    unit: 'bytes',
    width: 8,
    shows: 'Resident memory of the whole process, and the heap of its main thread next to the limit at which V8 ends the process.',
    bad: 'a climb that does not level off: near the limit the garbage collector blocks more and more.',
    act: 'see "Garbage collector" in Blocks; take heap snapshots of two moments and compare.'
  })
]

/** Whom calls of the application wait for. */
const peers = [
  timeseries({
    title: 'Calls that wait, by peer',
    queries: [[by('sum', `peer, ${PROCESS_LABELS}`, of('waiting')), `{{peer}}, ${PROCESS}`]],
    unit: 'short',
    width: 12,
    none: 'no call is open',
    shows: 'Calls to other services without an answer yet, and waits for a connection of a pool.',
    bad: 'a line that climbs while requests are slow: that peer does not answer, or its pool is too busy.',
    act: 'the log says which routes wait, and where they call (`waiting`): see docs/operate/slow-without-a-block.md.'
  }),
  timeseries({
    title: 'Wait for answers, p95 by peer',
    queries: [[quantile(0.95, 'peer', rate(of('wait:bucket'))), '{{peer}}']],
    unit: 's',
    width: 12,
    shows: '95 of 100 calls to this peer had the beginning of their answer, or their connection, within this time.',
    bad: 'a peer that becomes slower together with the routes that call it.',
    act: 'ask its owner, and set a timeout for calls to it; a pool needs shorter transactions before more connections.'
  })
]

const ourselves = [
  timeseries({
    title: 'Degraded',
    queries: [[`${by('max', 'reason', of('degraded'))}`, '{{reason}}']],
    unit: 'bool_yes_no',
    max: 1,
    decimals: 0,
    width: 8,
    shows: 'Parts of loopwatch that do not work: 1 while that lasts.',
    bad: 'any line at 1: what it names is missing from these dashboards, the log or the disk.',
    act: 'the log of the process says why, once, when it begins. It recovers by itself if possible.'
  }),
  timeseries({
    title: 'Events not kept',
    queries: [
      [by('sum', 'reason', growth(of('dropped'))), '{{reason}}'],
      [by('sum', 'label', growth(of('overflow'))), 'label {{label}} to (other)']
    ],
    unit: 'short',
    width: 8,
    none: 'nothing was dropped',
    shows: 'Log lines suppressed and ring entries dropped in each interval, and observations whose label became (other) because its limit was reached. Blocks themselves are always counted.',
    bad: 'a steady stream of anything but suppressed log lines; (other) that grows means that routes hide in it.',
    act: 'raise the option `routes`, or name routes with the option `route` where ids have become part of them.'
  }),
  timeseries({
    title: 'CPU of the watchdog',
    queries: [
      [by('sum', PROCESS_LABELS, rate(of('cpu', 'thread="watchdog"'))), PROCESS],
      [by('sum', PROCESS_LABELS, rate(of('ownBlocked'))), `own blocks, ${PROCESS}`]
    ],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU use of loopwatch\'s own thread, as a share of one core, by process (Linux), and the share of the application\'s thread in blocks that loopwatch caused.',
    bad: 'above 5% without blocks; any own blocks.',
    act: 'check how often /metrics is scraped and by how many; report it if that is not the reason.'
  }),
  timeseries({
    title: 'Tracking of origins, CPU profile',
    queries: [[of('originTracking'), `origins, ${PROCESS}`], [of('profiling'), `profile, ${PROCESS}`]],
    unit: 'bool_yes_no',
    max: 1,
    decimals: 0,
    width: 8,
    shows: '1 while the agent tracks where asynchronous operations are created, which takes up to a tenth of its thread, and while a CPU profile is taken, which costs little.',
    bad: 'origins for longer than ten seconds, or more often than once an hour, in production.',
    act: 'set `origin: \'off\'`, or see who calls hunt(); `origin: \'on\'` is for development. For the profile see the option `profile`.'
  }),
  table({
    title: 'Versions',
    queries: [[by('count', 'version, node_version', of('buildInfo')), 'Processes']],
    labels: { version: 'loopwatch', node_version: 'Node.js' },
    unit: 'short',
    width: 8,
    height: 8,
    shows: 'How many of the chosen processes run which versions.',
    bad: 'more than one line long after a roll-out.',
    act: 'restart the stragglers; their metrics may differ in meaning.'
  }),
  stat({
    title: 'Threshold',
    queries: [[by('max', '', of('threshold')), 'threshold'], [by('min', '', of('threshold')), 'lowest']],
    unit: 's',
    text: BigValueTextMode.ValueAndName,
    width: 8,
    shows: 'Minimum duration of a block that is reported, the highest and the lowest of the chosen processes.',
    bad: 'two different values: blocks of these processes cannot be compared.',
    act: 'set the option `threshold` to the same value everywhere.'
  })
]

exports.build = () => dashboard({
  name: 'Overview',
  description: 'Is an event loop blocked, how much, and what do requests feel of it? Each mark is a block. More on why and where in loopwatch / Blocks.',
  variables: applicationVariables(),
  annotated: true,
  rows: [
    { title: 'Now', panels: now },
    { title: 'Event loop', panels: loop },
    { title: 'Requests: rate, errors, duration', panels: red },
    { title: 'Thread pool and memory', panels: resources },
    { title: 'Calls to other services', panels: peers },
    { title: 'loopwatch itself', panels: ourselves }
  ]
})
