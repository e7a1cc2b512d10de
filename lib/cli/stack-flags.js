'use strict'

const net = require('node:net')
const { codedError } = require('../errors')

/**
 * Reads a whole number.
 * @param {string} flag
 * @param {number} min
 * @param {number} max
 */
exports.number = (flag, min, max) => (/** @type {string} */ text) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) throw codedError('LOOPWATCH_ERR_OPTION', flag, `a whole number from ${min} to ${max}`, text)
  return value
}

/**
 * Reads host:port, or the url that an agent's log gives, and adds it to those before.
 * @param {string} text
 * @param {string[]} [before]
 */
exports.target = (text, before = []) => {
  const hostPort = text.replace(/^http:\/\//, '').replace(/\/$/, '')
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(hostPort) ?? []
  const isHost = /^[\w.-]+$/.test(host) || net.isIPv6(host.replace(/^\[(.*)\]$/, '$1'))
  if (!isHost || Number(port) < 1 || Number(port) > 65535) throw codedError('LOOPWATCH_ERR_OPTION', '--target', 'host:port', text)
  return [...before, hostPort]
}
