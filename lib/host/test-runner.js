'use strict'

const process = require('../util/process')

/**
 * Whether this process is `node --test` itself, which starts a process for each file of tests. It has no
 * inspector, and aborts when a thread of it connects to one (measured on 20.20, 22.23, 24.21, 26.10).
 * Only tests that run in it bring one along.
 * @param {string[]} execArgv
 * @param {string} [options] NODE_OPTIONS, which may name the isolation
 */
exports.isTestRunner = (execArgv, options = process.env.NODE_OPTIONS ?? '') => {
  const flags = execArgv.join(' ').replaceAll('_', '-')
  return /(^| )--test( |$)/.test(flags) && !/-isolation[= ]none( |$)/.test(`${flags} ${options.replaceAll('_', '-')}`)
}
