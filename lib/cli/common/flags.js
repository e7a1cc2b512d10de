'use strict'

const { codedError } = require('../../tables/errors')

const DEFAULT_TARGET = '127.0.0.1:9464'
const HOST_AND_PORT = /^(?:[\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i

/** @param {string} flag @param {number} min @param {number} max */
exports.number = (flag, min, max) => (/** @type {string} */ text) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) throw codedError('LOOPWATCH_ERR_OPTION', flag, `a whole number from ${min} to ${max}`, text)
  return value
}

/** @param {string} text a host:port, or the URL in an agent's log @param {string[]} [before] earlier ones */
exports.target = (text, before = []) => {
  const hostPort = text.replace(/^http:\/\//, '').replace(/\/$/, '')
  const port = Number(HOST_AND_PORT.exec(hostPort)?.[1] ?? 0)
  if (port < 1 || port > 65535) throw codedError('LOOPWATCH_ERR_OPTION', '--target', 'host:port', text)
  return [...before, hostPort]
}

/**
 * bubbleprof needs about a minute to report a minute under load.
 * @type {[string, string, (text: string) => number, number]}
 */
exports.DEADLINE = ['--deadline <seconds>', 'how long the tool may take to write its report', exports.number('--deadline', 1, 86400), 180]

exports.DEFAULT_TARGET = DEFAULT_TARGET
exports.HOST_AND_PORT = HOST_AND_PORT
