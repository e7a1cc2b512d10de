'use strict'

const PREFIX = 'loopwatch_'

/**
 * Every metric, without the prefix of its name. Reading resets nothing, and computes the gauges. Every label is
 * bounded: `cause`, `kind`, `mode`, `state` and `reason` are fixed sets; the option routes limits `route` and `work`,
 * SITES `site`, PEERS `peer`, THREADS `thread` (in addition to the main thread and the watchdog),
 * and the slots of a cluster `worker`.
 */
const table = [
  {
    key: 'delay',
    name: 'eventloop_delay_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'How late a timer fires, sampled every 25 ms by default',
    labels: ['thread'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  },
  {
    key: 'loopTime',
    name: 'eventloop_time_seconds_total',
    type: 'counter',
    unit: 'seconds',
    help: 'Time the event loop was active or idle; utilization is the share of active',
    labels: ['thread', 'state']
  },
  {
    key: 'heartbeatAge',
    name: 'eventloop_heartbeat_age_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the last heartbeat of the event loop; up to 0.25 s while it idles',
    labels: ['thread']
  },
  {
    key: 'inProgress',
    name: 'block_in_progress_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'How long the block in progress has lasted, 0 when there is none',
    labels: ['thread']
  },
  {
    key: 'longest',
    name: 'block_longest_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'The longest block that ended within the last minute, 0 when there was none',
    labels: ['thread']
  },
  {
    key: 'blockDuration',
    name: 'block_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Duration of blocks at or above the threshold',
    labels: ['thread', 'cause'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
  },
  {
    key: 'blocked',
    name: 'blocked_seconds_total',
    type: 'counter',
    unit: 'seconds',
    help: 'Time the event loop was blocked, by cause, and by what blocked it',
    labels: ['cause', 'route', 'work']
  },
  {
    key: 'site',
    name: 'block_site_seconds_total',
    type: 'counter',
    unit: 'seconds',
    help: 'Time the event loop was blocked, by the blocking function of the application',
    labels: ['site']
  },
  {
    key: 'newSites',
    name: 'block_new_sites_total',
    type: 'counter',
    unit: 'functions',
    help: 'Functions that block in the running version of the application and did not in earlier ones (option dir)',
    labels: ['exact']
  },
  {
    key: 'ownBlocked',
    name: 'own_blocked_seconds_total',
    type: 'counter',
    unit: 'seconds',
    help: 'Time loopwatch itself blocked the event loop'
  },
  {
    key: 'endedInBlock',
    name: 'predecessors_ended_in_block',
    type: 'gauge',
    unit: 'processes',
    help: 'Earlier processes that ended during a block, as found in dir at startup'
  },
  {
    key: 'requestDuration',
    name: 'http_request_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Duration of HTTP requests, once the loop has read them',
    labels: ['method', 'route', 'status_class'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
  },
  {
    key: 'requestBlocked',
    name: 'http_request_blocked_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Time for which HTTP requests waited for blocks in other code',
    labels: ['route'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  },
  {
    key: 'inFlight',
    name: 'http_requests_in_flight',
    type: 'gauge',
    unit: 'requests',
    help: 'HTTP requests without a response yet'
  },
  {
    key: 'workDuration',
    name: 'work_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Duration of jobs, messages, tasks and operations',
    labels: ['work', 'kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300]
  },
  {
    key: 'workBlocked',
    name: 'work_blocked_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Time for which named work waited for blocks in other code',
    labels: ['work', 'kind'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  },
  {
    key: 'workInFlight',
    name: 'work_in_flight',
    type: 'gauge',
    unit: 'works',
    help: 'Named work in progress'
  },
  {
    key: 'shed',
    name: 'requests_shed_total',
    type: 'counter',
    unit: 'requests',
    help: 'Requests shed with a 503, by the limit that was exceeded',
    labels: ['reason']
  },
  {
    key: 'gc',
    name: 'gc_duration_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'Pauses of the garbage collector',
    labels: ['kind'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
  },
  {
    key: 'poolDelay',
    name: 'threadpool_delay_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: "How long work waited for libuv's thread pool; kind dns_lookups: for the half that dns.lookup may use",
    labels: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
  },
  {
    key: 'wait',
    name: 'wait_seconds',
    type: 'histogram',
    unit: 'seconds',
    help: 'How long calls to other services waited for a response, or for a connection of a pool, by peer',
    labels: ['peer'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
  },
  {
    key: 'waiting',
    name: 'waiting',
    type: 'gauge',
    unit: 'calls',
    help: 'Calls to other services that wait now, by peer',
    labels: ['peer']
  },
  {
    key: 'slow',
    name: 'slow_incidents_total',
    type: 'counter',
    unit: 'incidents',
    help: 'Times the application was slow without a block, by what was slow',
    labels: ['kind']
  },
  {
    key: 'cpu',
    name: 'thread_cpu_seconds_total',
    type: 'counter',
    unit: 'seconds',
    help: 'CPU time of a thread (Linux)',
    labels: ['thread', 'mode']
  },
  {
    key: 'rss',
    name: 'process_resident_memory_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Resident memory of the process'
  },
  {
    key: 'heapUsed',
    name: 'heap_used_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Heap in use by the main thread, at most a second old'
  },
  {
    key: 'heapLimit',
    name: 'heap_limit_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Heap limit of the main thread (--max-old-space-size); V8 ends the process beyond it'
  },
  {
    key: 'external',
    name: 'external_memory_bytes',
    type: 'gauge',
    unit: 'bytes',
    help: 'Memory outside the heap of the main thread, such as buffers'
  },
  {
    key: 'dropped',
    name: 'events_dropped_total',
    type: 'counter',
    unit: 'events',
    help: 'Dropped events, such as suppressed log lines',
    labels: ['reason']
  },
  {
    key: 'overflow',
    name: 'label_overflow_total',
    type: 'counter',
    unit: 'events',
    help: 'Observations counted as (other) because the label had too many values',
    labels: ['label']
  },
  {
    key: 'degraded',
    name: 'degraded',
    type: 'gauge',
    unit: '',
    help: '1 while a part of the agent cannot do its work',
    labels: ['reason']
  },
  {
    key: 'originTracking',
    name: 'origin_tracking',
    type: 'gauge',
    unit: '',
    help: '1 while the agent tracks origins, which takes up to a tenth of the thread'
  },
  {
    key: 'profiling',
    name: 'profiling',
    type: 'gauge',
    unit: '',
    help: '1 while a CPU profile of the main thread is taken'
  },
  {
    key: 'workers',
    name: 'cluster_workers',
    type: 'gauge',
    unit: 'workers',
    help: 'Workers that joined the primary of a cluster, by whether their watchdog responds',
    labels: ['state']
  },
  {
    key: 'workerRestarts',
    name: 'cluster_worker_restarts_total',
    type: 'counter',
    unit: 'workers',
    help: 'Workers that replaced one that had ended',
    labels: ['worker']
  },
  {
    key: 'buildInfo',
    name: 'build_info',
    type: 'gauge',
    unit: '',
    help: 'Always 1; the versions of loopwatch and Node.js',
    labels: ['version', 'node_version']
  },
  {
    key: 'threshold',
    name: 'config_threshold_seconds',
    type: 'gauge',
    unit: 'seconds',
    help: 'Minimum duration of a block that is reported'
  }
].map((row) => ({ labels: /** @type {string[]} */ ([]), ...row, name: PREFIX + row.name }))

exports.table = table

/** Values of the label `kind` of slow_incidents_total: reasons why an application is slow without a block. */
exports.SLOW_KINDS = /** @type {const} */ (['thread_pool', 'dns_lookups', 'busy_loop', 'worker_threads', 'waiting'])

/** Sites with a label value of their own, first come, first served. */
exports.SITES = 20

/** Peers that calls wait for, likewise. */
exports.PEERS = 50

/** Names of worker threads with a label value of their own. */
exports.THREADS = 20

/** Labels whose values come from the application. */
exports.openLabels = ['peer', 'route', 'site', 'thread', 'work']

/** Label names that the option labels may not use. */
exports.labelNames = [...new Set(['le', ...table.flatMap((row) => row.labels)])]
