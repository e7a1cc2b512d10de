'use strict'

const { execFileSync, spawn } = require('node:child_process')
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { makeFolder } = require('../../lib/util/files')

const CRATE = path.join(__dirname, 'crate')
const BUILT = { linux: 'libhook_calls.so', darwin: 'libhook_calls.dylib', win32: 'hook_calls.dll' }
const LAST_LINES = 20

/** Version that rustc reports; null without cargo. */
exports.rustVersion = () => {
  try {
    execFileSync('cargo', ['--version'], { stdio: 'ignore' })
    return execFileSync('rustc', ['-vV'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}

/** Everything the built addon depends on: nothing of it can change without another name. @param {string} version */
function contentHash (version) {
  const hash = createHash('sha256').update(version)
  const files = ['Cargo.toml', 'Cargo.lock', 'build.rs', ...fs.readdirSync(path.join(CRATE, 'src')).sort().map((name) => path.join('src', name))]
  for (const file of files) hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(CRATE, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Of this user alone: what lies there is loaded into a process. */
function cacheDir () {
  /** @type {Partial<Record<NodeJS.Platform, string>>} */
  const bySystem = { darwin: path.join(os.homedir(), 'Library', 'Caches'), win32: process.env.LOCALAPPDATA }
  const own = bySystem[process.platform] ??
    process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
  const dir = path.join(own, 'loopwatch', 'hook-calls')
  try {
    makeFolder(dir, 0o700)
    fs.accessSync(dir, fs.constants.W_OK)
    return dir
  } catch {
    return fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-hook-calls-'))
  }
}

/**
 * The addon, built by cargo unless the same sources have been built by the same compiler before.
 * @param {{ say: (line: string) => void, signal?: AbortSignal, version: string, dir?: string }} options
 * @returns {Promise<string>} its file
 */
exports.buildAddon = async ({ say, signal, version, dir = cacheDir() }) => {
  const file = path.join(dir, `${contentHash(version)}.node`)
  if (fs.existsSync(file)) return file
  say('hook-calls: cargo build --release, once for these sources (about a minute)')
  const target = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-cargo-'))
  try {
    await cargoBuild(target, say, signal)
    // Renamed into place: another run must not load half a file.
    const fresh = `${file}.${process.pid}`
    fs.copyFileSync(path.join(target, 'release', BUILT[/** @type {'linux'} */ (process.platform)]), fresh)
    fs.renameSync(fresh, file)
    return file
  } finally {
    fs.rmSync(target, { recursive: true, force: true })
  }
}

/** @param {string} target @param {(line: string) => void} say @param {AbortSignal} [signal] */
async function cargoBuild (target, say, signal) {
  const cargo = spawn('cargo', ['build', '--release', '--locked', '--target-dir', target], { cwd: CRATE, stdio: ['ignore', 'ignore', 'pipe'], signal })
  /** @type {string[]} */
  const lines = []
  createInterface(cargo.stderr).on('line', (line) => {
    lines.push(line)
    if (/^\s*(Compiling|Downloading|Finished|warning|error)/.test(line)) say(line.trim())
  })
  const code = await new Promise((resolve, reject) => {
    cargo.once('error', reject)
    cargo.once('close', resolve)
  })
  if (code !== 0) throw new Error(`cargo build ended with exit code ${code}:\n${lines.slice(-LAST_LINES).join('\n')}`)
}

exports.cacheDir = cacheDir
