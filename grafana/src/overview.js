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
    shows: 'Length of the longest block that is in progress right now. The watchdog thread reports it, so the value keeps rising even while the process serves no requests.',
    bad: 'above 0 on several refreshes in a row. Above a second, every client of that process is waiting.',
    act: 'open /blocks of that instance, or its log: both show the line and the request during the block.'
  }),
  stat({
    title: 'Longest block, 5 m',
    queries: [[longestBlock('5m'), 'longest']],
    unit: 's',
    levels: [0.25, 1],
    shows: 'The longest block of the last five minutes: one that has ended, or one in progress if it is longer.',
    bad: 'longer than your slowest request may take: every request in that process waited this long.',
    act: 'find it under "Where the time goes" in the dashboard Blocks, or by its exemplar there.'
  }),
  stat({
    title: 'Time blocked, 5 m',
    queries: [[by('max', '', `${by('sum', PROCESS_LABELS, growth(of('blocked', ROUTE), '5m'))} / 300`), 'share']],
    unit: 'percentunit',
    decimals: 1,
    levels: [0.01, 0.1],
    none: '0%',
    shows: 'Share of the last five minutes in which the event loop was blocked, in the process with the largest share.',
    bad: 'above 1%, the slowest requests are slow because of blocks. Above 10%, the whole process is slow.',
    act: 'see the causes below: js and native need other code or a worker thread, starved needs CPU.'
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
    shows: 'Share of time in which the event loop of the busiest process was active instead of waiting for events.',
    bad: 'above 70%, delays grow steeply with each further request. At 100%, a queue builds up.',
    act: 'add processes, or take work off the loop. High utilization without blocks means load, with blocks it means code.'
  }),
  stat({
    title: 'Loop delay p99',
    queries: [[by('max', '', quantile(0.99, PROCESS_LABELS, rate(of('delay:bucket', MAIN)))), 'highest']],
    unit: 's',
    levels: [0.05, 0.25],
    shows: '1% of timers ran at least this late, in the process with the largest delay. Every callback can wait this long before it runs.',
    bad: 'above 50 ms, users notice. A p99 far above the median means blocks rather than load.',
    act: 'compare with "Utilization". Low utilization and a high delay mean a few long blocks; both high mean saturation.'
  }),
  stat({
    title: 'Requests/s',
    queries: [[by('sum', '', requests()), 'requests/s']],
    unit: 'reqps',
    decimals: 1,
    width: 3,
    shows: 'HTTP responses per second of all chosen processes, for the chosen routes.',
    bad: 'a sudden drop while "Blocked now" is above 0: requests queue up while the loop is blocked.',
    act: 'look for the mark of a block at the time of the drop. Without one, the cause is upstream of the process.'
  }),
  stat({
    title: 'Duration p95',
    queries: [[p95(''), 'p95']],
    unit: 's',
    levels: [0.5, 2],
    width: 3,
    shows: '95% of requests had their response within this time, including connection and queueing in the process.',
    bad: 'more than half of your client timeout.',
    act: 'see "Share of duration lost to blocks": a large share means that other code is to blame, not this route.'
  })
]

const loop = [
  blockedBy('site', of('site'), {
    title: 'Time blocked by function',
    shows: 'Share of time blocked by each function of the application, with file and line, averaged over the chosen processes. A block counts when it ends.',
    bad: 'any function that stays: its line makes requests wait.',
    act: 'open that line. The live page and `/blocks` of the instance show the stack and the request.'
  }),
  blockedBy('cause', of('blocked', ROUTE), {
    title: 'Time blocked by cause',
    shows: 'Share of time blocked by cause, averaged over the chosen processes. A block counts when it ends, so one that is longer than the interval shows as more than 100%.',
    bad: 'a colour that stays: the same cause blocks again and again. For grey causes, no code is to blame.',
    act: remedies
  }),
  timeseries({
    title: 'Utilization by process',
    queries: [[utilization(PROCESS_LABELS), PROCESS]],
    unit: 'percentunit',
    max: 1,
    levels: [0.7, 0.9],
    shows: 'Share of time in which each event loop was active, per interval.',
    bad: 'a process that stays above 70%, or one far above the rest.',
    act: 'all high: scale out. One high: see Cluster for imbalance, or a job that runs only there.'
  }),
  heatmap({
    title: 'Loop delay',
    queries: [[by('sum', 'le', increase(of('delay:bucket', MAIN))), '{{le}}']],
    unit: 's',
    shows: 'How late timers ran. Each column is an interval; the closer a cell is to yellow, the more timers it counts.',
    bad: 'a second band above the first: most timers run on time and some wait long. An average would hide this.',
    act: 'a band that rises with the load means saturation. Single cells far above it are blocks, each with a mark.'
  }),
  timeseries({
    title: 'Block in progress by process',
    queries: [[`${of('inProgress', MAIN)} > 0`, PROCESS]],
    unit: 's',
    none: 'no process was blocked when it was scraped',
    shows: 'Length of the block that was in progress when the process was scraped. Blocks shorter than the scrape interval may be missing.',
    bad: 'a line that climbs by one second per second: the loop is stuck.',
    act: 'read the line from /blocks of the instance, then end the process. `stuck` with `onStuck: \'abort\'` ends it automatically.'
  })
]

const red = [
  timeseries({
    title: 'Requests/s by route',
    queries: [[by('sum', 'route', requests()), '{{route}}']],
    unit: 'reqps',
    width: 8,
    shows: 'Responses per second, by route.',
    bad: 'one route that drops to zero, or all routes that drop together during a block.',
    act: 'one route: look at its errors and duration. All: look at the event loop above.'
  }),
  timeseries({
    title: 'Server errors by route',
    // Grown and not rated: the first error of a route begins its series.
    queries: [[`${by('sum', 'route', growth(of('requestDuration:count', ROUTE, 'status_class="5xx"')))} / ${by('sum', 'route', growth(of('requestDuration:count', ROUTE)))}`, '{{route}}']],
    unit: 'percentunit',
    width: 8,
    none: 'no server errors',
    shows: 'Share of responses with status 5xx, by route, including shed requests.',
    bad: 'above your error budget. Errors right after a block come from clients that gave up or upstreams that timed out during it.',
    act: 'compare with the marks of blocks, and with "Requests shed".'
  }),
  timeseries({
    title: 'Duration p95 by route',
    queries: [[p95('route'), '{{route}}']],
    unit: 's',
    width: 8,
    shows: '95% of requests of a route had their response within this time.',
    bad: 'fast routes that become slow together: they wait for one that blocks.',
    act: 'the route that blocks is in the dashboard Blocks under "Time blocked by route".'
  }),
  timeseries({
    title: 'Share of duration lost to blocks',
    queries: [[`${by('sum', 'route', rate(of('requestBlocked:sum', ROUTE)))} / ${by('sum', 'route', rate(of('requestDuration:sum', ROUTE)))}`, '{{route}}']],
    unit: 'percentunit',
    width: 8,
    shows: 'Share of the duration of a route\'s requests during which other code blocked the loop. Changes of the route cannot reduce it.',
    bad: 'above 10%: this route is a victim.',
    act: 'do not optimize this route; find the culprit in Blocks.'
  }),
  timeseries({
    title: 'Requests in flight',
    queries: [[of('inFlight'), PROCESS]],
    unit: 'short',
    width: 8,
    shows: 'Requests that have arrived and have no response yet, by process.',
    bad: 'a steady climb: more requests arrive than are served.',
    act: 'with low utilization, requests wait for a database or an upstream. With high utilization, shed load or scale out.'
  }),
  timeseries({
    title: 'Requests shed',
    queries: [[by('sum', 'reason', rate(of('shed'))), '{{reason}}']],
    unit: 'reqps',
    width: 8,
    none: 'no shedding',
    shows: 'Requests that the middleware rejected with 503 because the loop exceeded a limit, by limit.',
    bad: 'above 0 for minutes: there is not enough capacity.',
    act: 'scale out, or find the blocks that push the delay over its limit.'
  })
]

/** Reasons why requests may wait although the loop is free, and the memory that the garbage collector manages. */
const resources = [
  timeseries({
    title: 'Wait for the thread pool',
    queries: [
      [quantile(0.99, `kind, ${PROCESS_LABELS}`, rate(of('poolDelay:bucket'))), `{{kind}}, p99, ${PROCESS}`]
    ],
    unit: 's',
    width: 8,
    shows: 'How long fs, crypto and zlib (thread_pool) and dns.lookup() (dns_lookups, half of the threads at most) wait for a thread of libuv, measured while the process is working.',
    bad: 'above 0.1 s: requests wait although the loop is free.',
    act: 'see the log for `pool_full`; raise UV_THREADPOOL_SIZE, keep connections alive, or start fewer operations at a time.'
  }),
  timeseries({
    title: 'Slow without a block',
    queries: [[by('sum', `kind, ${PROCESS_LABELS}`, increase(of('slow'))), `{{kind}}, ${PROCESS}`]],
    unit: 'short',
    width: 8,
    shows: 'Incidents in each interval: the thread pool was full (thread_pool), or the part of it for DNS lookups (dns_lookups); the loop was busy with short turns for ten seconds (busy_loop); all worker threads of one name were busy (worker_threads); requests waited for another service (waiting).',
    bad: 'above 0 while requests are slow.',
    act: 'the log shows the operations, functions or peers (`pool_full`, `busy`, `waiting`): see docs/operate/slow-without-a-block.md in the repository.'
  }),
  timeseries({
    title: 'Memory',
    queries: [
      [of('rss'), `resident, ${PROCESS}`], [of('heapUsed'), `heap, ${PROCESS}`], [of('heapLimit'), `heap limit, ${PROCESS}`],
      [of('external'), `outside the heap, ${PROCESS}`]
    ],
    unit: 'bytes',
    width: 8,
    shows: 'Resident memory of the whole process, and the heap of its main thread with the limit at which V8 ends the process.',
    bad: 'a climb that does not level off: near the limit, the garbage collector blocks more and more.',
    act: 'see "Garbage collector" in Blocks. Take two heap snapshots at different times and compare them.'
  })
]

/** The services that calls of the application wait for. */
const peers = [
  timeseries({
    title: 'Calls that wait, by peer',
    queries: [[by('sum', `peer, ${PROCESS_LABELS}`, of('waiting')), `{{peer}}, ${PROCESS}`]],
    unit: 'short',
    width: 12,
    none: 'no call is open',
    shows: 'Calls to other services that have no response yet, and waits for a connection of a pool.',
    bad: 'a line that climbs while requests are slow: that peer does not respond, or its pool is exhausted.',
    act: 'the log shows which routes wait, and where they call (`waiting`): see docs/operate/slow-without-a-block.md in the repository.'
  }),
  timeseries({
    title: 'Wait for responses, p95 by peer',
    queries: [[quantile(0.95, 'peer', rate(of('wait:bucket'))), '{{peer}}']],
    unit: 's',
    width: 12,
    shows: '95% of calls to this peer had the beginning of their response, or their connection, within this time.',
    bad: 'a peer that becomes slower together with the routes that call it.',
    act: 'ask the owner of the peer, and set a timeout for calls to it. For a pool, shorten transactions before you add connections.'
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
    shows: 'Parts of loopwatch that do not work at the moment: 1 for each.',
    bad: 'any line at 1: the data of that part is missing from these dashboards, the log or the disk.',
    act: 'the log of the process gives the reason, once, at the beginning. The part recovers automatically if possible.'
  }),
  timeseries({
    title: 'Dropped events',
    queries: [
      [by('sum', 'reason', growth(of('dropped'))), '{{reason}}'],
      [by('sum', 'label', growth(of('overflow'))), 'label {{label}} to (other)']
    ],
    unit: 'short',
    width: 8,
    none: 'nothing was dropped',
    shows: 'Suppressed log lines and dropped events in each interval, and observations whose label became (other) because its limit was reached. Blocks themselves are always counted.',
    bad: 'a steady stream of anything but suppressed log lines. If (other) grows, it hides routes.',
    act: 'raise the option `routes`. If ids have become part of routes, name the routes with the option `route`.'
  }),
  timeseries({
    title: 'CPU of the watchdog',
    queries: [
      [by('sum', PROCESS_LABELS, rate(of('cpu', 'thread="watchdog"'))), PROCESS],
      [by('sum', PROCESS_LABELS, rate(of('ownBlocked'))), `own blocks, ${PROCESS}`]
    ],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU use of the watchdog thread by process, as a share of one core (Linux), and the share of time in which loopwatch itself blocked the application\'s thread.',
    bad: 'above 5% without blocks; any block by loopwatch.',
    act: 'check how often /metrics is scraped, and by how many clients. If that is not the reason, report it.'
  }),
  timeseries({
    title: 'Origin tracking and CPU profile',
    queries: [[of('originTracking'), `origins, ${PROCESS}`], [of('profiling'), `profile, ${PROCESS}`]],
    unit: 'bool_yes_no',
    max: 1,
    decimals: 0,
    width: 8,
    shows: '1 while the agent tracks where asynchronous operations are created, which takes up to a tenth of the application\'s thread, and while it takes a CPU profile, which costs little.',
    bad: 'in production, origin tracking for longer than ten seconds, or more often than once per hour.',
    act: 'set `origin: \'off\'`, or find the code that calls hunt(); `origin: \'on\'` is for development. For the profile, see the option `profile`.'
  }),
  table({
    title: 'Versions',
    queries: [[by('count', 'version, node_version', of('buildInfo')), 'Processes']],
    labels: { version: 'loopwatch', node_version: 'Node.js' },
    unit: 'short',
    width: 8,
    height: 8,
    shows: 'Number of chosen processes by version of loopwatch and Node.js.',
    bad: 'more than one row long after a roll-out.',
    act: 'restart the processes with an old version; their metrics may differ in meaning.'
  }),
  stat({
    title: 'Threshold',
    queries: [[by('max', '', of('threshold')), 'threshold'], [by('min', '', of('threshold')), 'lowest']],
    unit: 's',
    text: BigValueTextMode.ValueAndName,
    width: 8,
    shows: 'Minimum duration of a reported block: the highest and the lowest value of the chosen processes.',
    bad: 'two different values: blocks of these processes cannot be compared.',
    act: 'set the option `threshold` to the same value everywhere.'
  })
]

exports.build = () => dashboard({
  name: 'Overview',
  description: 'Is an event loop blocked, for how much of the time, and how does it affect requests? Each mark is a block. The dashboard loopwatch / Blocks shows why and where.',
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
