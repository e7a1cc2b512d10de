'use strict'

const { MAIN, PROCESS } = require('./blocked')
const { dashboard } = require('./dashboard')
const { stat, timeseries, table } = require('./panels')
const { ROUTE, PROCESS_LABELS, of, ofLiving, ofTarget, rate, growth, growthRate, by, quantile, utilization } = require('./queries')
const { applicationVariables } = require('./variables')

const RANGE = '$__range'
/** The primary only hands out connections, and would pull every average down. */
const WORKER = 'worker!="primary"'
const busy = ofLiving(`${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, WORKER, 'state="active"')))} / ${by('sum', PROCESS_LABELS, rate(of('loopTime', MAIN, WORKER)))}`)
const served = ofLiving(by('sum', PROCESS_LABELS, rate(of('requestDuration:count', WORKER))))
const imbalance = (/** @type {string} */ series) => `${by('max', 'job, instance', series)} / (${by('avg', 'job, instance', series)} > 0)`
const used = ofLiving(utilization(PROCESS_LABELS))
const delay = ofLiving(quantile(0.99, PROCESS_LABELS, rate(of('delay:bucket', MAIN))))

const state = [
  stat({
    title: 'Workers answering',
    queries: [[by('sum', '', ofTarget('workers', 'state="answering"')), 'answering']],
    unit: 'short',
    width: 6,
    none: 'no cluster',
    shows: 'Workers that joined the primaries of the chosen instances and whose watchdogs answer. A blocked worker still answers.',
    bad: 'fewer than you started.',
    act: 'see "Restarts", and the log of the primary for workers that exit at startup.'
  }),
  stat({
    title: 'Silent workers',
    queries: [[by('sum', '', ofTarget('workers', 'state="silent"')), 'silent']],
    unit: 'short',
    levels: [1, 2],
    width: 6,
    none: 'no cluster',
    shows: 'Workers that joined but whose watchdogs do not answer: stopped, or without any CPU. Their last values remain.',
    bad: 'anything above 0 for more than a few seconds.',
    act: 'look for SIGSTOP, a debugger, memory swapped out, or a machine without CPU to give.'
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
    shows: 'Workers within the time range that took the slot of one that had ended.',
    bad: 'any outside a deployment.',
    act: 'read the exit code in the log of the primary; with `dir` set, the record of what the worker was doing is on disk.'
  }),
  stat({
    title: 'Imbalance now',
    queries: [[by('max', '', imbalance(busy)), 'busiest / average']],
    unit: 'short',
    decimals: 2,
    levels: [1.5, 2],
    width: 6,
    shows: 'Utilization of the busiest worker over the average of all, of the worst cluster: 1 is even.',
    bad: 'above 1.5 under load. The figure means nothing on an idle cluster.',
    act: 'few long connections (WebSocket, HTTP/2, keep-alive from one proxy) stay where they are: balance requests before the cluster, or close connections from time to time.'
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
    shows: 'All workers at the end of the time range; time blocked is over the whole range. The primary has a line of its own, a process outside a cluster has no worker.',
    bad: 'a line that differs from the others.',
    act: 'choose that worker above and go to Blocks.'
  }),
  timeseries({
    title: 'Utilization by worker',
    queries: [[used, PROCESS]],
    unit: 'percentunit',
    max: 1,
    levels: [0.7, 0.9],
    shows: 'Share of time each event loop was active.',
    bad: 'one at 100% while others idle: requests queue behind it for nothing.',
    act: 'see "Requests/s by worker": equally uneven means connections; even means that one has more expensive requests or a job of its own.'
  }),
  timeseries({
    title: 'Loop delay p99 by worker',
    queries: [[delay, PROCESS]],
    unit: 's',
    levels: [0.05, 0.25],
    shows: 'One timer in a hundred came at least this late.',
    bad: 'one worker above the others, or all at once.',
    act: 'one: its blocks. All at once: the machine, see "Host contention" in Blocks.'
  }),
  timeseries({
    title: 'Time blocked by worker',
    queries: [[by('sum', PROCESS_LABELS, growthRate(of('blocked', ROUTE))), PROCESS]],
    unit: 'percentunit',
    none: 'no blocks',
    shows: 'Share of time each worker\'s event loop was blocked. A block counts when it ends.',
    bad: 'a primary that blocks: then no worker gets new connections. A worker: its requests wait.',
    act: 'choose the worker above and go to Blocks.'
  }),
  timeseries({
    title: 'Block in progress by worker',
    queries: [[by('max', PROCESS_LABELS, of('inProgress', MAIN)), PROCESS]],
    unit: 's',
    levels: [1, 10],
    shows: 'How long each event loop has been blocked at the scrape, 0 when it is not.',
    bad: 'a line that climbs by a second a second.',
    act: 'read the line from /blocks of the primary, then end that worker; the others go on.'
  })
]

const balance = [
  timeseries({
    title: 'Imbalance',
    queries: [[imbalance(busy), '{{instance}} utilization'], [imbalance(served), '{{instance}} requests']],
    unit: 'short',
    width: 8,
    shows: 'The busiest worker over the average of its cluster, in utilization and in requests: 1 is even.',
    bad: 'above 1.5 under load.',
    act: 'both high: uneven connections. Utilization alone: expensive requests that go to one worker.'
  }),
  timeseries({
    title: 'Requests/s by worker',
    queries: [[served, PROCESS]],
    unit: 'reqps',
    width: 8,
    shows: 'Requests answered per second by each worker.',
    bad: 'a worker without any while others have many.',
    act: 'it is blocked, or connections stay elsewhere: keep-alive through one proxy does that.'
  }),
  timeseries({
    title: 'CPU by worker',
    queries: [[ofLiving(by('sum', PROCESS_LABELS, rate(of('cpu', MAIN)))), PROCESS]],
    unit: 'percentunit',
    width: 8,
    shows: 'CPU time of each main thread, as a share of one core (Linux).',
    bad: 'all below their utilization at once: more workers than cores.',
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
    shows: 'Workers in each interval that took the slot of one that had ended.',
    bad: 'the same slot again and again, or all in turn outside a deployment.',
    act: 'exit codes are in the log of the primary. SIGABRT is `onStuck: \'abort\'`, SIGKILL is mostly memory.'
  }),
  timeseries({
    title: 'Heartbeat age by worker',
    queries: [[by('max', PROCESS_LABELS, of('heartbeatAge', MAIN)), PROCESS]],
    unit: 's',
    width: 8,
    levels: [1, 10],
    shows: 'Time since the last heartbeat of each event loop at the scrape.',
    bad: 'more than a second: blocked, or the process was stopped.',
    act: 'compare with "Block in progress by worker"; a difference means that the whole process did not run.'
  }),
  timeseries({
    title: 'Workers by state',
    queries: [[by('sum', 'instance, state', ofTarget('workers')), '{{instance}} {{state}}']],
    unit: 'short',
    width: 8,
    none: 'no cluster',
    shows: 'Workers joined to each primary, by whether their watchdogs answer.',
    bad: 'silent above 0, or steps down that are not followed by steps up.',
    act: 'check that the primary forks again when a worker exits.'
  })
]

exports.build = () => dashboard({
  name: 'Cluster',
  description: 'Do the workers of node:cluster share the work, and is one of them worse off than the others? Processes outside a cluster are compared by instance.',
  variables: applicationVariables(),
  annotated: true,
  rows: [
    { title: 'Now', panels: state },
    { title: 'Worker by worker', panels: workers },
    { title: 'Balance', panels: balance },
    { title: 'Coming and going', panels: life }
  ]
})
