'use strict'

const os = require('node:os')

/**
 * @typedef {object} Environment
 * @property {string} node
 * @property {string} v8
 * @property {string} cpu
 * @property {number} cores this process may use
 * @property {string} kernel
 * @property {string} platform
 * @property {number} memoryBytes
 * @property {number} loadAverage of the minute before: what else the machine did
 * @property {Record<string, string>} tools versions of what else took part
 */

/** The machine and the runtime. @returns {Environment} */
exports.readEnvironment = () => ({
  node: process.version,
  v8: process.versions.v8,
  cpu: os.cpus()[0]?.model ?? 'unknown',
  cores: os.availableParallelism(),
  kernel: `${os.type()} ${os.release()}`,
  platform: `${process.platform} ${process.arch}`,
  memoryBytes: os.totalmem(),
  loadAverage: Math.round(os.loadavg()[0] * 100) / 100,
  tools: {}
})
