'use strict'

const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const { eventually } = require('./app')
const { makeDir } = require('./files')

/** Why a test that needs Redis is skipped, false where it is not; with CI=true it fails instead. */
exports.noRedis = spawnSync('redis-server', ['--version']).status === 0 || process.env.CI === 'true'
  ? false
  : 'redis-server is not installed (Debian: apt install redis-server)'

/**
 * A real Redis with nothing in it.
 * @param {import('node:test').TestContext} t
 * @returns {Promise<string>} its port
 */
exports.startRedis = async (t) => {
  const dir = makeDir(t)
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {net.AddressInfo} */ (probe.address())
  probe.close()
  await once(probe, 'close')
  const redis = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => redis.kill('SIGKILL'))
  let said = ''
  redis.stdout.setEncoding('utf8').on('data', (text) => { said += text })
  await eventually(() => said.includes('Ready to accept connections'), () => `Redis; ${said}`)
  return `${port}`
}
