'use strict'

const { MAIN, PROCESS } = require('./blocked')
const { dashboard } = require('./dashboard')
const { stat, timeseries, table } = require('./panels')
const { ROUTE, PROCESS_LABELS, of, ofLiving, ofTarget, rate, growth, growthRate, by, quantile, utilization } = require('./queries')
const { applicationVariables } = require('./variables')

const RANGE = '$__range'
/** Without the primary, which only distributes connections and would lower every average. */
const WORKER = 'worker!="primary"'
const busy = ofLiving(`${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, WORKER, 'state="active"')))} / ${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, WORKER)))}`)
const served = ofLiving(by('sum', PROCESS_LABELS, rate(of('requestDuration:count', WORKER))))
const imbalance = (/** @type {string} */ series) => `${by('max', 'job, instance', series)} / (${by('avg', 'job, instance', series)} > 0)`
const used = ofLiving(utilization(PROCESS_LABELS))
const delay = ofLiving(quantile(0.99, PROCESS_LABELS, rate(of('delay:bucket', MAIN))))

const state = [
  stat({
    title: 'Responding workers',
    queries: [[by('sum', '', ofTarget('workers', 'state="answering"')), 'responding']],
    unit: 'short',
    width: 6,
    none: 'no cluster',
    shows: 'Workers that have joined the primaries of the chosen instances, and whose watchdogs respond. A blocked worker still responds.',
    bad: 'fewer than you started.',
    act: 'see "Restarts", and look in the log of the primary for workers that exit at startup.'
  }),
  stat({
    title: 'Silent workers',
    queries: [[by('sum', '', ofTarget('workers', 'state="silent"')), 'silent']],
    unit: 'short',
    levels: [1, 2],
    width: 6,
    none: 'no cluster',
    shows: 'Workers that have joined, but whose watchdogs do not respond: they are stopped, or get no CPU. Their last values are still shown.',
    bad: 'above 0 for more than a few seconds.',
    act: 'look for SIGSTOP, a debugger, swapped memory, or a machine without free CPU.'
  }),
  stat({
    title: 'Restarts in the time range',
    queries: [[by('sum', '', growth(of('workerRestarts'), RANGE)), 'restarts']],
    unit: 'short',
    decimals: 0,
    levels: [1, 5],
    width: 6,
    instant: true,
    none: '0',
    shows: 'Workers that replaced an ended worker within the time range.',
    bad: 'above 0 outside a deployment.',
    act: 'read the exit code in the log of the primary. With `dir` set, a record on disk shows what the worker was doing.'
  }),
  stat({
    title: 'Imbalance now',
    queries: [[by('max', '', imbalance(busy)), 'busiest / average']],
    unit: 'short',
    decimals: 2,
    levels: [1.5, 2],
    width: 6,
    shows: 'Utilization of the busiest worker divided by the average of all workers, for the least even cluster. 1 means even.',
    bad: 'above 1.5 under load. For an idle cluster, the value has no meaning.',
    act: 'a few long connections (WebSocket, HTTP/2, keep-alive from one proxy) stay with their worker: balance requests in front of the cluster, or close connections from time to time.'
  })
]

const workers = [
  table({
    title: 'Workers',
    queries: [
      [used, 'Utilization'],
      [delay, 'Delay p99'],
      [`${by('sum', PROCESS_LABELS, growth(of('blocked', ROUTE), RANGE))} or 0 * ${by('sum', PROCESS_LABELS, of('buildInfo'))}`, 'Time blocked'],
      [ofLiving(by('sum', PROCESS_LABELS, rate(of('requestDuration:count', ROUTE)))), 'Requests/s'],
      [by('max', PROCESS_LABELS, of('rss')), 'Memory'],
      [by('max', PROCESS_LABELS, of('heartbeatAge', MAIN)), 'Heartbeat age']
    ],
    labels: { job: 'Job', instance: 'Instance', worker: 'Worker' },
    unit: 'short',
    units: ['percentunit', 's', 's', 'reqps', 'bytes', 's'],
    width: 24,
    shows: 'All workers at the end of the time range; the time blocked is that of the whole range. The primary has its own row; a process outside a cluster has no worker.',
    bad: 'a row that differs from the rest.',
    act: 'choose that worker at the top, and open Blocks.'
  }),
  timeseries({
    title: 'Utilization by worker',
    queries: [[used, PROCESS]],
    unit: 'percentunit',
    max: 1,
    levels: [0.7, 0.9],
    shows: 'Share of time in which each event loop was active.',
    bad: 'one worker at 100% while the rest are idle: its requests queue although there is free capacity.',
    act: 'see "Requests/s by worker". If it is uneven too, connections are distributed unevenly. If it is even, this worker has more expensive requests or an extra job.'
  }),
  timeseries({
    title: 'Loop delay p99 by worker',
    queries: [[delay, PROCESS]],
    unit: 's',
    levels: [0.05, 0.25],
    shows: '1% of timers ran at least this late.',
    bad: 'one worker above the rest, or all workers at the same time.',
    act: 'for one worker, look at its blocks. For all workers, look at the machine: see "Host contention" in Blocks.'
  }),
  timeseries({
    title: 'Time blocked by worker',
    queries: [[by('sum', PROCESS_LABELS, growthRate(of('blocked', ROUTE))), PROCESS]],
    unit: 'percentunit',
    none: 'no blocks',
    shows: 'Share of time in which the event loop of each worker was blocked. A block counts when it ends.',
    bad: 'a primary that blocks, because then no worker gets new connections; a worker that blocks, because its requests wait.',
    act: 'choose the worker at the top, and open Blocks.'
  }),
  timeseries({
    title: 'Block in progress by worker',
    queries: [[by('max', PROCESS_LABELS, of('inProgress', MAIN)), PROCESS]],
    unit: 's',
    levels: [1, 10],
    shows: 'Length of the block in progress at the scrape, 0 if there is none.',
    bad: 'a line that climbs by one second per second.',
    act: 'read the line from /blocks of the primary, then end that worker. The rest keep running.'
  })
]

const balance = [
  timeseries({
    title: 'Imbalance',
    queries: [[imbalance(busy), '{{instance}} utilization'], [imbalance(served), '{{instance}} requests']],
    unit: 'short',
    width: 8,
    shows: 'The busiest worker divided by the average of its cluster, in utilization and in requests. 1 means even.',
    bad: 'above 1.5 under load.',
    act: 'if both are high, connections are distributed unevenly. If only utilization is high, expensive requests go to one worker.'
  }),
  timeseries({
    title: 'Requests/s by worker',
    queries: [[served, PROCESS]],
    unit: 'reqps',
    width: 8,
    shows: 'Responses per second of each worker.',
    bad: 'a worker without responses while the rest have many.',
    act: 'the worker is blocked, or connections stay with other workers, as with keep-alive through one proxy.'
  }),
  timeseries({
    title: 'CPU by worker',
    queries: [[ofLiving(by('sum', PROCESS_LABELS, rate(of('cpu', MAIN)))), PROCESS]],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU time of each main thread, as a share of one core (Linux).',
    bad: 'all workers below their utilization at the same time: there are more workers than cores.',
    act: 'start as many workers as there are cores, not more.'
  })
]

const life = [
  timeseries({
    title: 'Restarts',
    queries: [[by('sum', 'instance, worker', growth(of('workerRestarts'))), '{{instance}} slot {{worker}}']],
    unit: 'short',
    stacked: true,
    width: 8,
    none: 'no restarts',
    shows: 'Workers that replaced an ended worker, in each interval.',
    bad: 'the same slot again and again, or all slots one after the other outside a deployment.',
    act: 'the log of the primary shows exit codes. SIGABRT comes from `onStuck: \'abort\'`, SIGKILL usually means out of memory.'
  }),
  timeseries({
    title: 'Heartbeat age by worker',
    queries: [[by('max', PROCESS_LABELS, of('heartbeatAge', MAIN)), PROCESS]],
    unit: 's',
    width: 8,
    levels: [1, 10],
    shows: 'Time since the last heartbeat of each event loop at the scrape.',
    bad: 'more than a second: the worker is blocked, or its process is stopped.',
    act: 'compare with "Block in progress by worker". A difference means that the whole process did not run.'
  }),
  timeseries({
    title: 'Workers by state',
    queries: [[by('sum', 'instance, state', ofTarget('workers')), '{{instance}} {{state}}']],
    unit: 'short',
    width: 8,
    none: 'no cluster',
    shows: 'Workers that have joined each primary, by whether their watchdogs respond.',
    bad: 'silent above 0, or steps down without a step up after them.',
    act: 'check that the primary forks a new worker when one exits.'
  })
]

exports.build = () => dashboard({
  name: 'Cluster',
  description: 'Do the workers of node:cluster share the load, and is one of them worse than the rest? Processes outside a cluster are compared by instance.',
  variables: applicationVariables(),
  annotated: true,
  rows: [
    { title: 'Now', panels: state },
    { title: 'Worker by worker', panels: workers },
    { title: 'Balance', panels: balance },
    { title: 'Starts and exits', panels: life }
  ]
})
