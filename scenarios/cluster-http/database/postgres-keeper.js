'use strict'

// Keeps a PostgreSQL of its own for whoever started it, and takes it away when that one has gone,
// however it ended: on Ctrl-C, by a crash or killed.
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')

/** PostgreSQL refuses to run as root. Its own user where the system has one, else the one with the fewest rights. */
const USERS = ['postgres', 'nobody']
const READY = 'database system is ready to accept connections'
const LOG_CHARACTERS = 4000
const MODE_FOR_ALL = 0o755
/** Figures are about servers: durability in a crash does not matter, the speed of the disk would. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-postgres-'))
/** @type {import('node:child_process').ChildProcess | null} */
let server = null
let isEnding = false

function end () {
  if (isEnding) return
  isEnding = true
  const leave = () => {
    fs.rmSync(dir, { recursive: true, force: true })
    process.exit()
  }
  if (server === null || server.exitCode !== null || server.signalCode !== null) return leave()
  server.once('exit', leave)
  // Immediate: nobody needs what is in it.
  server.kill('SIGQUIT')
}

/** @param {string} message */
function fail (message) {
  if (process.connected) process.send?.({ type: 'failure', message }, end)
  else end()
}

process.on('disconnect', end)
process.on('SIGINT', () => {})
process.on('SIGTERM', end)

/** @returns {{ uid: number, gid: number } | {}} */
function otherUser () {
  if (process.getuid?.() !== 0) return {}
  for (const user of USERS) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' })).map(({ status, stdout }) => status === 0 ? Number(stdout) : null)
    if (uid !== null && gid !== null) return { uid, gid }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no user called ${USERS.join(' or ')}`)
}

/**
 * A copy of the package's binaries: the package may be where another user may not look, and the links
 * between its libraries are made by an install script, which npm may not run (--ignore-scripts).
 * @param {string} from
 */
function copyBinaries (from) {
  const to = path.join(dir, 'native')
  fs.cpSync(path.join(from, 'native'), to, { recursive: true, mode: fs.constants.COPYFILE_FICLONE })
  const links = path.join(to, 'pg-symlinks.json')
  for (const { source, target } of fs.existsSync(links) ? JSON.parse(fs.readFileSync(links, 'utf8')) : []) {
    const link = path.join(dir, target)
    if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(link), path.join(dir, source)), link)
  }
  for (const name of fs.readdirSync(path.join(to, 'bin'))) fs.chmodSync(path.join(to, 'bin', name), MODE_FOR_ALL)
  return path.join(to, 'bin')
}

/** @returns {Promise<number>} */
const freePort = () => new Promise((resolve, reject) => {
  const probe = net.createServer().once('error', reject).listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
    probe.close(() => resolve(port))
  })
})

async function main () {
  const bin = copyBinaries(process.argv[2])
  const user = /** @type {{ uid?: number, gid?: number }} */ (otherUser())
  const data = path.join(dir, 'data')
  fs.mkdirSync(data, { mode: 0o700 })
  fs.chmodSync(dir, MODE_FOR_ALL)
  if (user.uid !== undefined && user.gid !== undefined) fs.chownSync(data, user.uid, user.gid)
  const options = { ...user, cwd: dir, env: { ...process.env, LC_ALL: 'C', LC_MESSAGES: 'C' } }
  const made = spawnSync(path.join(bin, 'initdb'), [`--pgdata=${data}`, '--auth=trust', '--username=postgres', '--no-sync', '--encoding=UTF8'], { ...options, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
  const port = await freePort()
  // A group of its own: a terminal's Ctrl-C is ours to answer.
  server = spawn(path.join(bin, 'postgres'), ['-D', data, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])], { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  let isReady = false
  server.stderr?.setEncoding('utf8').on('data', (text) => {
    log = (log + text).slice(-LOG_CHARACTERS)
    if (isReady || !log.includes(READY)) return
    isReady = true
    const { version } = /(?<version>\d+[\d.]*)/.exec(spawnSync(path.join(bin, 'postgres'), ['--version'], { ...options, encoding: 'utf8' }).stdout)?.groups ?? {}
    process.send?.({ type: 'ready', url: `postgres://postgres@127.0.0.1:${port}/postgres`, pid: server?.pid, dir, version })
  })
  server.once('error', (error) => fail(`PostgreSQL could not be started: ${error.message}`))
  server.once('exit', (code, signal) => { if (!isEnding) fail(`PostgreSQL ended (${signal ?? `exit code ${code}`}): ${log.trim()}`) })
}

main().catch((error) => fail(error.message))
