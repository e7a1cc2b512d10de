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
    shows: 'Blocks of main threads, at or above the threshold, that ended within the time range. Prometheus extrapolates, so small numbers may be off by one.',
    bad: 'any number while users complain. A healthy process has a few during its startup.',
    act: 'see below: why, where, and for how long.'
  }),
  stat({
    title: 'Time blocked',
    queries: [[by('sum', '', growth(of('blocked', ROUTE), RANGE)), 'time blocked']],
    unit: 's',
    width: 5,
    instant: true,
    none: '0 s',
    shows: 'Total duration of all blocks within the time range, in the chosen routes.',
    bad: 'more than 1% of the range, multiplied by the number of processes.',
    act: 'start with the first rows of the two tables below. They usually account for most of the time.'
  }),
  stat({
    title: 'Longest block',
    queries: [[longestBlock(RANGE), 'longest']],
    unit: 's',
    levels: [0.25, 1],
    width: 5,
    instant: true,
    shows: 'The longest block of the time range: one that has ended, or one in progress if it is longer.',
    bad: 'longer than the timeout of your clients, or than the liveness probe allows.',
    act: 'click the exemplar with this duration in "Duration of blocks", and open /blocks/:id of the instance.'
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
    shows: 'Share of the time blocked in which the process waited for a CPU, or was paused as a whole.',
    bad: 'above 20%: no change of the application helps with that part.',
    act: 'raise CPU requests and limits; look for throttling and for other busy processes on the machine.'
  }),
  stat({
    title: 'Ended in a block',
    queries: [[by('sum', '', `max_over_time(${of('endedInBlock')}[${RANGE}])`), 'processes']],
    unit: 'short',
    levels: [1, 1],
    width: 4,
    instant: true,
    none: '0',
    shows: 'Processes that ended during a block of more than a second. Their successors found the records in the folder `dir`.',
    bad: 'above 0: a liveness probe or the option `stuck` probably ended the process, and its open requests were lost.',
    act: 'the log of the next process shows the line (event predecessor); `loopwatch blocks` with the folder shows the record.'
  })
]

const why = [
  blockedBy('cause', of('blocked', ROUTE), {
    title: 'Time blocked by cause',
    shows: 'Share of time blocked, averaged over the chosen processes. A block counts when it ends.',
    bad: 'one colour all the time: the same cause blocks again and again.',
    act: remedies
  }),
  timeseries({
    title: 'Blocks by cause',
    queries: [[by('sum', 'cause', growth(of('blockDuration:count', MAIN))), '{{cause}}']],
    unit: 'short',
    stacked: true,
    none: 'no blocks',
    shows: 'Number of blocks of main threads in each interval.',
    bad: 'regular spikes: a timer or a scrape that does too much in one turn.',
    act: 'compare the time between spikes with the schedule of cron jobs, cache refreshes and health checks.'
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
    shows: 'Time for which the requests of each route blocked the main threads within the range. (none) is time blocked outside requests: timers, startup, queues.',
    bad: 'a route with much time and few requests: each of its requests delays all other requests.',
    act: 'start with the first row; the table next to this one shows the functions.'
  }),
  table({
    title: 'Functions that block',
    queries: [[by('sum', 'site', growth(of('site'), RANGE)), 'Time blocked']],
    labels: { site: 'Function' },
    unit: 's',
    shows: 'Time blocked within the range by the innermost function of the application, with its file. The first 20 functions have their own rows, the rest is (other).',
    bad: 'one function with most of the time. It is the first one to fix.',
    act: 'look it up on the live page or in `/blocks`: they show its lines, the whole stack, the request and the evidence.'
  }),
  blockedBy('route', of('blocked', ROUTE), {
    title: 'Time blocked by route',
    shows: 'Share of time blocked by each route\'s requests, averaged over the chosen processes.',
    bad: 'a route that starts to block after a deployment, or as data grows.',
    act: 'compare with the traffic of that route in Overview: are there more requests, or slower ones?'
  }),
  blockedBy('site', of('site'), {
    title: 'Time blocked by function',
    shows: 'Share of time blocked by each function of the application, averaged over the chosen processes.',
    bad: 'a new function, or one that takes more and more time.',
    act: 'look at the latest changes of that function and of its input.'
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
    shows: 'Quantiles of the duration of blocks. Each diamond is one block; /blocks/:id takes its block_id.',
    bad: 'a p50 far above the threshold: the blocks are real work, not jitter.',
    act: 'open the highest diamonds by their block_id. If many are just above the threshold, raise `threshold`, or check the CPU.'
  }),
  heatmap({
    title: 'Durations',
    queries: [[by('sum', 'le', durations(rateWindow)), '{{le}}']],
    unit: 's',
    none: 'no blocks',
    shows: 'Number of blocks by duration over time.',
    bad: 'cells that rise over days: the work grows with the data.',
    act: 'find the function under "Where the time goes", and limit how much it does in one turn.'
  }),
  timeseries({
    title: 'Requests waiting for blocks elsewhere',
    queries: [[quantile(0.95, 'route', rate(of('requestBlocked:bucket', ROUTE))), '{{route}}']],
    unit: 's',
    shows: 'For 95% of requests of a route, other code blocked the loop for at most this long.',
    bad: 'above 100 ms for fast routes: they are the victims.',
    act: 'fix the routes that block. Moving their slow work to a worker thread helps all of these routes.'
  }),
  timeseries({
    title: 'Blocks in progress by thread',
    queries: [[`${by('max', 'thread', of('inProgress'))} > 0`, '{{thread}}']],
    unit: 's',
    none: 'no thread was blocked when it was scraped',
    shows: 'Length of the block in progress at the scrape, for the main thread and for worker threads by name.',
    bad: 'any value of `main`. Worker threads that exist to compute may appear here.',
    act: 'main: /blocks shows the line. A worker that should also reply to messages: split its tasks.'
  })
]

/** Without requests, which the label `route` covers. */
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
    shows: 'Time for which each named job, message, task or operation blocked the main threads within the range. Names come from libraries or from agent.run().',
    bad: 'work with much time and few runs: each run delays everything else.',
    act: 'start with the first row that has a time; /blocks shows the function and the attributes of that job.'
  }),
  table({
    title: 'Work waiting for blocks elsewhere',
    queries: [
      [by('sum', 'work', growth(of('workBlocked:sum'), RANGE)), 'Time lost'],
      [by('sum', 'work', growth(of('workDuration:sum'), RANGE)), 'Total time']
    ],
    labels: { work: 'Work' },
    unit: 's',
    units: ['s', 's'],
    shows: 'Time within the range for which other code blocked the loop while named work was running. Concurrent work overlaps, so times can add up to more than the range.',
    bad: 'time lost above a tenth of the total time: this work is a victim.',
    act: 'do not optimize this work; find the culprit in the table next to this one, or among the routes above.'
  }),
  timeseries({
    title: 'Time blocked by work',
    queries: [[`${by('sum', 'work', growthRate(of('blocked', NAMED)))} / scalar(${processes})`, '{{work}}']],
    unit: 'percentunit',
    stacked: true,
    width: 8,
    none: 'no blocks in named work',
    shows: 'Share of time blocked by each named job or other work, averaged over the chosen processes.',
    bad: 'a job that starts to block as data grows. A block longer than the lock time of a queue (30 s in BullMQ) makes its jobs stall and run twice.',
    act: 'split the work, move it to a worker thread, or run the queue workers in a separate process.'
  }),
  timeseries({
    title: 'Duration p95 by work',
    queries: [[quantile(0.95, 'work', rate(of('workDuration:bucket'))), '{{work}}']],
    unit: 's',
    log: true,
    width: 8,
    shows: '95% of runs of each named job or other work took at most this long.',
    bad: 'fast work of several names that becomes slow together: it waits for work that blocks.',
    act: 'compare with "Time blocked by work".'
  }),
  timeseries({
    title: 'Work in flight',
    queries: [[of('workInFlight'), PROCESS]],
    unit: 'short',
    width: 8,
    shows: 'Named work in progress, by process. HTTP requests are not counted.',
    bad: 'a steady climb, or a value that stays at the concurrency of the queue.',
    act: 'with low utilization, the work waits for a database or an upstream. With high utilization, add workers.'
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
    bad: 'above 10%, or major pauses that become more and more frequent: the heap is nearly full.',
    act: 'raise --max-old-space-size if memory is available. Otherwise, find the code that allocates, or the objects that are never released.'
  }),
  timeseries({
    title: 'Garbage collector, p99 pause',
    queries: [[quantile(0.99, 'kind', rate(of('gc:bucket'))), '{{kind}}']],
    unit: 's',
    width: 8,
    shows: '1% of pauses are at least this long, by kind.',
    bad: 'major pauses above 100 ms; minor ones above 10 ms.',
    act: 'long major pauses mean a large live heap: move caches out of the process. Long minor pauses mean that many new objects survive: allocate in smaller batches.'
  }),
  timeseries({
    title: 'Host contention',
    queries: [[`${by('sum', 'cause', growthRate(of('blocked', 'cause=~"starved|suspended"')))} / scalar(${processes})`, '{{cause}}']],
    unit: 'percentunit',
    stacked: true,
    width: 8,
    none: 'the processes got the CPU that they needed',
    shows: 'Share of time blocked because the process waited for a CPU (starved), or was paused as a whole (suspended).',
    bad: 'a value that stays above 0: it adds latency that no profile of the application explains.',
    act: 'starved: raise the CPU limit, or run fewer processes per machine. suspended: check the hypervisor, laptop sleep, and processes that send SIGSTOP.'
  }),
  timeseries({
    title: 'CPU by thread',
    queries: [[by('sum', 'thread, mode', rate(of('cpu'))), '{{thread}} {{mode}}']],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU time of the main thread, worker threads and the watchdog, by user and system mode, summed over the chosen processes (Linux).',
    bad: 'main at 100% of a core for each process: there is no capacity left for peaks.',
    act: 'much system time means many small reads and writes. For much user time, take a CPU profile.'
  }),
  timeseries({
    title: 'Active without CPU',
    queries: [[`clamp_min(${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, 'state="active"')))} - ${by('sum', PROCESS_LABELS, rate(of('cpu', MAIN)))}, 0)`, PROCESS]],
    unit: 'percentunit',
    width: 8,
    shows: 'Share of time in which the event loop was active but not on a CPU: asleep in a synchronous call, or waiting for a CPU (Linux).',
    bad: 'above 10%.',
    act: 'with blocks of cause sync-io, replace the *Sync calls. With blocks of cause starved, or without blocks, the machine lacks CPU.'
  }),
  timeseries({
    title: 'Blocks of worker threads',
    queries: [[by('sum', 'thread', growth(of('blockDuration:count', 'thread!="main"'))), '{{thread}}']],
    unit: 'short',
    stacked: true,
    width: 8,
    none: 'no blocks of worker threads',
    shows: 'Number of blocks of the application\'s worker threads by name, in each interval. They do not delay requests of the main thread.',
    bad: 'many blocks in a thread that has to reply quickly. In a pool that computes, blocks are normal.',
    act: 'the live page and /blocks show their lines (Node.js 22.20, or 24.8 and later). Split the tasks of a thread that has to reply quickly.'
  })
]

exports.build = () => dashboard({
  name: 'Blocks',
  description: 'Why was the event loop blocked, by which route and which function, for how long, and which requests and jobs waited?',
  variables: applicationVariables(),
  annotated: true,
  rows: [
    { title: 'In the time range', panels: range },
    { title: 'Why', panels: why },
    { title: 'Where the time goes', panels: where },
    { title: 'How long, and what waits', panels: howLong },
    { title: 'Jobs, messages and other named work', panels: work },
    { title: 'Garbage collector, host and threads', panels: host }
  ]
})
