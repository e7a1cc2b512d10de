'use strict'

/** Every part of the agent that can fail on its own, and what is missing while it does. */
const degraded = {
  endpoint: 'the endpoint is not listening',
  proc: 'the kernel does not report how long threads wait for a CPU: fewer causes can be told apart',
  inspector: 'the main thread cannot be asked for its stack: no requests, and lines from a CPU profile at best',
  debugger: 'an inspector port is open, and a pause in a debugger is recognized by CPU time alone: it may count as a ' +
    'block, and a block that has no CPU as a pause',
  requests: 'blocks name a request only with doubt (≈), or if it has just arrived',
  route: 'routes are found without the application\'s help',
  origin: 'origin tracking is unavailable',
  profile: 'no CPU profile is taken: lines of native calls are approximate',
  threads: 'too many worker threads: some are not watched',
  dir: 'block records are not written to disk',
  notify: 'messages about blocks do not reach the notify address',
  otlp: 'metrics, logs or spans do not reach the OTLP receiver',
  log: 'log lines cannot be written',
  explain: 'a fault of loopwatch: some blocks have no cause, line or request',
  watchdog: 'the watchdog itself was busy: blocks are reported late, and the endpoint answers late',
  cluster: 'the watchdogs of the cluster cannot reach each other'
}

/** @typedef {keyof typeof degraded} Reason */

exports.degraded = degraded
