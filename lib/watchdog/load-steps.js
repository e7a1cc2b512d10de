'use strict'

/** @import { ResolvedOptions } from '../options/table' */

/**
 * Modules of a watchdog that nothing waits for. Each step takes 3 to 10 ms of CPU time (24.21): the application begins
 * to serve meanwhile, and may have a fifth of a CPU.
 * @param {Pick<ResolvedOptions, 'log' | 'port'>} options @returns {(() => unknown)[]}
 */
exports.stepsOf = ({ log, port }) => [
  () => require('./outpost'),
  () => require('./kernel/thread-stats'),
  () => require('./loop/monitor'),
  () => require('./profile/profile-windows'),
  () => require('./loop/explainer'),
  () => require('./main-loop'),
  () => require('../export/http/server'),
  () => require('./page-feed/feed'),
  () => require('./scrape'),
  () => require('./sinks'),
  () => require('./slow/slow-watch'),
  () => require('./threads/threads'),
  () => require('./watchdog'),
  () => log !== false && require('pino'),
  () => log !== false && require('../export/log/log'),
  () => port !== false && require('../export/http/paths')
]
