'use strict'

const { MAIN, PROCESS, blockedBy, processes } = require('./blocked')
const { dashboard } = require('./dashboard')
const { stat, timeseries, heatmap, table } = require('./panels')
const { ROUTE, PROCESS_LABELS, of, rate, growth, growthRate, longestBlock, by, quantile } = require('./queries')
const { remedies } = require('./remedies')
const { applicationVariables } = require('./variables')

const RANGE = '$__range'
const durations = (/** @type {string} */ window) => growth(of('blockDuration:bucket', MAIN), window)
const rateWindow = '$__rate_interval'

const range = [
  stat({
    title: 'Blocks',
    queries: [[by('sum', '', growth(of('blockDuration:count', MAIN), RANGE)), 'blocks']],
    unit: 'short',
    decimals: 0,
    width: 5,
    instant: true,
    none: '0',
    shows: 'Blocks of the main threads at or above the threshold that ended within the time range. Prometheus extrapolates, so small numbers may be off by one.',
    bad: 'any number that comes with complaints; a process without bugs has a handful after its start.',
    act: 'read on below: why, where, how long.'
  }),
  stat({
    title: 'Time blocked',
    queries: [[by('sum', '', growth(of('blocked', ROUTE), RANGE)), 'time blocked']],
    unit: 's',
    width: 5,
    instant: true,
    none: '0 s',
    shows: 'Time all blocks of the range took together, in the chosen routes.',
    bad: 'more than 1% of the range times the number of processes.',
    act: 'the first lines of the two tables below usually are most of it.'
  }),
  stat({
    title: 'Longest block',
    queries: [[longestBlock(RANGE), 'longest']],
    unit: 's',
    levels: [0.25, 1],
    width: 5,
    instant: true,
    shows: 'The longest block that ended within the range, or what was seen of one in progress if that is longer.',
    bad: 'more than clients wait before they give up, or more than the liveness probe allows.',
    act: 'click the exemplar at that height in "Duration of blocks" and open /blocks/:id of the instance.'
  }),
  stat({
    title: 'Not the code\'s fault',
    queries: [[`${by('sum', '', growth(of('blocked', 'cause=~"starved|suspended"'), RANGE))} / ${by('sum', '', growth(of('blocked'), RANGE))}`, 'share']],
    unit: 'percentunit',
    decimals: 0,
    levels: [0.2, 0.5],
    width: 5,
    instant: true,
    none: '0%',
    shows: 'Share of the blocked time in which the process was kept waiting for a CPU or was stopped as a whole.',
    bad: 'above 20%: no change of the application will help with that part.',
    act: 'raise CPU requests and limits, look for neighbours on the machine and for throttling.'
  }),
  stat({
    title: 'Ended in a block',
    queries: [[by('sum', '', `max_over_time(${of('endedInBlock')}[${RANGE}])`), 'processes']],
    unit: 'short',
    levels: [1, 1],
    width: 4,
    instant: true,
    none: '0',
    shows: 'Processes that ended in the middle of a block of more than a second, as found by their successors in the folder `dir`.',
    bad: 'any: a liveness probe or the option `stuck` ended them, and all they were doing was lost.',
    act: 'the log of the process after it has the line (event predecessor); `loopwatch blocks` on the folder has the record.'
  })
]

const why = [
  blockedBy('cause', of('blocked', ROUTE), {
    title: 'Time blocked by cause',
    shows: 'Share of time blocked, averaged over the chosen processes. A block counts when it ends.',
    bad: 'one colour throughout.',
    act: remedies
  }),
  timeseries({
    title: 'Blocks by cause',
    queries: [[by('sum', 'cause', growth(of('blockDuration:count', MAIN))), '{{cause}}']],
    unit: 'short',
    stacked: true,
    none: 'no blocks',
    shows: 'Number of blocks of the main threads in each interval.',
    bad: 'regular spikes: a timer or a scrape that does too much at once.',
    act: 'compare the interval between spikes with your cron jobs, cache refreshes and health checks.'
  })
]

const where = [
  table({
    title: 'Routes that block',
    queries: [
      [by('sum', 'route', growth(of('blocked', ROUTE), RANGE)), 'Time blocked'],
      [by('sum', 'route', growth(of('requestDuration:count', ROUTE), RANGE)), 'Requests']
    ],
    labels: { route: 'Route' },
    unit: 's',
    units: ['s', 'short'],
    shows: 'Time the main threads were blocked within the range by each route\'s requests. (none) is what no request did: timers, startup, queues.',
    bad: 'a route with much time and few requests: each of them stops everybody else.',
    act: 'start with the first line; the table next to it names the functions.'
  }),
  table({
    title: 'Functions that block',
    queries: [[by('sum', 'site', growth(of('site'), RANGE)), 'Time blocked']],
    labels: { site: 'Function' },
    unit: 's',
    shows: 'Time blocked within the range by the innermost function of the application, with its file. The first 20 have a row of their own, the rest is (other).',
    bad: 'one function with most of the time: the cheapest fix there is.',
    act: 'look it up on the live page or in `/blocks`, which have its lines, the whole stack, the request and the evidence.'
  }),
  blockedBy('route', of('blocked', ROUTE), {
    title: 'Time blocked by route',
    shows: 'Share of time blocked by each route\'s requests, averaged over the chosen processes.',
    bad: 'a route that begins to block after a deployment or with growing data.',
    act: 'compare with the traffic of that route in Overview: more of it, or slower?'
  }),
  blockedBy('site', of('site'), {
    title: 'Time blocked by function',
    shows: 'Share of time blocked by each function of the application, averaged over the chosen processes.',
    bad: 'a new function, or one that grows.',
    act: 'look at what changed in it.'
  })
]

const howLong = [
  timeseries({
    title: 'Duration of blocks',
    queries: [
      [quantile(0.5, '', durations(rateWindow)), 'p50'],
      [quantile(0.9, '', durations(rateWindow)), 'p90'],
      [quantile(0.99, '', durations(rateWindow)), 'p99'],
      [by('max', '', of('threshold')), 'threshold']
    ],
    unit: 's',
    log: true,
    exemplars: true,
    shows: 'Quantiles of the duration of blocks. Each diamond is one block, its block_id is that of /blocks/:id.',
    bad: 'a p50 far above the threshold: blocks are not jitter but work.',
    act: 'open the highest diamonds by their block_id. Many just above the threshold: raise `threshold`, or look at CPU.'
  }),
  heatmap({
    title: 'Durations',
    queries: [[by('sum', 'le', durations(rateWindow)), '{{le}}']],
    unit: 's',
    none: 'no blocks',
    shows: 'Number of blocks by duration over time.',
    bad: 'cells that wander upwards over days: work that grows with the data.',
    act: 'find the function under "Where the time goes", and bound what it does at once.'
  }),
  timeseries({
    title: 'Wait of requests for others\' blocks',
    queries: [[quantile(0.95, 'route', rate(of('requestBlocked:bucket', ROUTE))), '{{route}}']],
    unit: 's',
    shows: 'In 95 of 100 requests of a route, at most this much passed while something else blocked the loop.',
    bad: 'above 100 ms on quick routes: they are the victims.',
    act: 'fix the routes that block; moving the slow work to a worker thread helps all of these at once.'
  }),
  timeseries({
    title: 'Blocks in progress by thread',
    queries: [[`${by('max', 'thread', of('inProgress'))} > 0`, '{{thread}}']],
    unit: 's',
    none: 'no thread was blocked when it was scraped',
    shows: 'Length of the block in progress at the scrape: of the main thread and of worker threads by name.',
    bad: '`main` at all. A worker that computes for a living may well be there.',
    act: 'main: /blocks names the line. A worker that should answer messages meanwhile: split its tasks.'
  })
]

/** Requests are left out: the route names them already. */
const NAMED = 'work!="(none)"'

const work = [
  table({
    title: 'Work that blocks',
    queries: [
      [by('sum', 'work', growth(of('blocked', NAMED), RANGE)), 'Time blocked'],
      [by('sum', 'work', growth(of('workDuration:count'), RANGE)), 'Times run']
    ],
    labels: { work: 'Work' },
    unit: 's',
    units: ['s', 'short'],
    shows: 'Time the main threads were blocked within the range by each job, message, task or operation that has a name, from a library or from agent.run().',
    bad: 'work with much time that ran a few times: each of its runs stops everybody else.',
    act: 'start with the first line that has a time; /blocks names the function and the attributes of that job.'
  }),
  table({
    title: 'Work that waits for others',
    queries: [
      [by('sum', 'work', growth(of('workBlocked:sum'), RANGE)), 'Time lost'],
      [by('sum', 'work', growth(of('workDuration:sum'), RANGE)), 'Time in all']
    ],
    labels: { work: 'Work' },
    unit: 's',
    units: ['s', 's'],
    shows: 'How much of the time that named work lasted within the range something else blocked the loop. Concurrent work overlaps, so times can add up to more than the range.',
    bad: 'time lost above a tenth of the time in all: this work is a victim.',
    act: 'do not optimise this work; find the culprit in the table next to it, or among the routes above.'
  }),
  timeseries({
    title: 'Time blocked by work',
    queries: [[`${by('sum', 'work', growthRate(of('blocked', NAMED)))} / scalar(${processes})`, '{{work}}']],
    unit: 'percentunit',
    stacked: true,
    width: 8,
    none: 'no blocks in named work',
    shows: 'Share of time blocked by each named piece of work, averaged over the chosen processes.',
    bad: 'a job that begins to block with growing data. Beyond the lock time of a queue (30 s in BullMQ), its jobs stall and run twice.',
    act: 'split the work, move it to a worker thread, or give the queue workers a process of their own.'
  }),
  timeseries({
    title: 'Duration p95 by work',
    queries: [[quantile(0.95, 'work', rate(of('workDuration:bucket'))), '{{work}}']],
    unit: 's',
    log: true,
    width: 8,
    shows: '95 of 100 runs of each named piece of work took at most this long.',
    bad: 'quick work that becomes slow together: it waits for one that blocks.',
    act: 'compare with "Time blocked by work".'
  }),
  timeseries({
    title: 'Work in flight',
    queries: [[of('workInFlight'), PROCESS]],
    unit: 'short',
    width: 8,
    shows: 'Named work that has begun and is not over yet, by process. HTTP requests are not counted.',
    bad: 'a steady climb, or the concurrency of the queue all the time.',
    act: 'with low utilization the wait is for a database or an upstream; with high utilization add workers.'
  })
]

const host = [
  timeseries({
    title: 'Garbage collector, share of time',
    queries: [[`${by('sum', 'kind', rate(of('gc:sum')))} / scalar(${processes})`, '{{kind}}']],
    unit: 'percentunit',
    stacked: true,
    width: 8,
    shows: 'Share of time in pauses of the garbage collector, averaged over the chosen processes.',
    bad: 'above 10%, or major pauses that come ever closer together: the heap is nearly full.',
    act: 'raise --max-old-space-size if memory is available; otherwise find what allocates, or what is never released.'
  }),
  timeseries({
    title: 'Garbage collector, p99 pause',
    queries: [[quantile(0.99, 'kind', rate(of('gc:bucket'))), '{{kind}}']],
    unit: 's',
    width: 8,
    shows: 'One pause in a hundred is at least this long, by kind.',
    bad: 'major pauses above 100 ms; minor ones above 10 ms.',
    act: 'long major pauses: a large live heap, move caches out of the process. Long minor ones: much survives, allocate in smaller batches.'
  }),
  timeseries({
    title: 'Host contention',
    queries: [[`${by('sum', 'cause', growthRate(of('blocked', 'cause=~"starved|suspended"')))} / scalar(${processes})`, '{{cause}}']],
    unit: 'percentunit',
    stacked: true,
    width: 8,
    none: 'the processes got the CPU they asked for',
    shows: 'Share of time blocked because the process was kept waiting for a CPU (starved) or was stopped as a whole (suspended).',
    bad: 'anything that lasts: latency that no profile of the application explains.',
    act: 'starved: raise the CPU limit, or run fewer processes per machine. suspended: look at the hypervisor, laptop sleep, or who sends SIGSTOP.'
  }),
  timeseries({
    title: 'CPU by thread',
    queries: [[by('sum', 'thread, mode', rate(of('cpu'))), '{{thread}} {{mode}}']],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU time of the main thread, of worker threads and of the watchdog, user and system, summed over the chosen processes (Linux).',
    bad: 'main at 100% of a core for each process: nothing is left for peaks.',
    act: 'much system time: many small reads and writes. Much user time: a CPU profile.'
  }),
  timeseries({
    title: 'Active without CPU',
    queries: [[`clamp_min(${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, 'state="active"')))} - ${by('sum', PROCESS_LABELS, rate(of('cpu', MAIN)))}, 0)`, PROCESS]],
    unit: 'percentunit',
    width: 8,
    shows: 'Share of time the event loop was active and yet not on a CPU: asleep in a synchronous call, or waiting for its turn (Linux).',
    bad: 'above 10%.',
    act: 'with blocks of sync-io: replace the *Sync calls. With starved, or without blocks: the machine is short of CPU.'
  }),
  timeseries({
    title: 'Blocks of worker threads',
    queries: [[by('sum', 'thread', growth(of('blockDuration:count', 'thread!="main"'))), '{{thread}}']],
    unit: 'short',
    stacked: true,
    width: 8,
    none: 'no blocks of worker threads',
    shows: 'Blocks of worker threads of the application by name in each interval. They do not hold up requests of the main thread.',
    bad: 'many in a thread that has to answer quickly; in a pool for computing they are its work.',
    act: 'the log has them with their duration; `node --cpu-prof` writes a profile of each thread.'
  })
]

exports.build = () => dashboard({
  name: 'Blocks',
  description: 'Why was the event loop blocked, by which route and which function, for how long, and who waited meanwhile?',
  variables: applicationVariables(),
  annotated: true,
  rows: [
    { title: 'In the time range', panels: range },
    { title: 'Why', panels: why },
    { title: 'Where the time goes', panels: where },
    { title: 'How long, and who waits', panels: howLong },
    { title: 'Jobs, messages and other named work', panels: work },
    { title: 'Garbage collector, host and threads', panels: host }
  ]
})
