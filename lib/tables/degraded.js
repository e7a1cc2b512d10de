'use strict'

/** Every part of the agent that can fail on its own, and what is missing while it does. */
const degraded = {
  endpoint: 'the endpoint does not listen',
  proc: 'the kernel does not tell how long threads wait for a CPU: fewer causes are told apart',
  inspector: 'the host cannot be asked where it is: no requests, and lines by a CPU profile at most',
  requests: 'blocks name their request only where it is in doubt, or has just come',
  route: 'routes are found without the application\'s help',
  origin: 'it is not tracked where operations are created',
  profile: 'no CPU profile is taken: native calls are told by the lines around them',
  threads: 'too many worker threads: those beyond are not watched',
  dir: 'block records are not written to disk',
  notify: 'messages about blocks do not reach the address of notify',
  otlp: 'metrics, logs or spans do not reach the receiver of OTLP',
  log: 'log lines cannot be written',
  cluster: 'the watchdogs of the cluster do not reach each other'
}

/** @typedef {keyof typeof degraded} Reason */

exports.degraded = degraded
