'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const net = require('node:net')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { median } = require('../../harness/measure/stats')
const { treeUsage } = require('../../harness/measure/usage')
const { remoteAgent } = require('../../load/target/remote-agent')
const { place, programs } = require('./programs')

const REGISTER = require.resolve('../../../lib/register')
/** Pairs of runs at least, however long one takes. */
const FEWEST = 2
/** How often a look is taken at the port, and how many its owner gets to tell of the application's requests. */
const LOOK_MS = 50
const LOOKS = 400
/** The last output of an application. The rest comes from its launcher, with times and process ids. */
const ANSWERED = /answered \d+ requests: \w+/
/** Durations as Mocha, node:test, Vite and Next.js write them. */
const TIMES = /\s*\(?\b\d+(\.\d+)?\s?(ms|s|m)\b\)?|duration_ms:? [\d.]+/g

/** @typedef {{ ms: number, cpuSeconds: number | null, exit: unknown, output: string, lines: number, bytes: number,
 * port: number, speaks: number }} Run */

/** Lines with results, in the formats of Mocha and node:test. The order of all other output differs from run to run. */
const RESULTS = /^ *([✔✖▶ℹ]|(not )?ok |# (tests|pass|fail) |\d+\) |\d+ (passing|failing)).*$/gmu

/** The part of the output that must be the same with the preload. @param {string} stdout @param {string} kind */
exports.outputOf = (stdout, kind) => {
  if (kind === 'application') return ANSWERED.exec(stdout)?.[0] ?? stdout
  const text = stdout.replace(TIMES, '')
  return kind === 'suite' ? text.match(RESULTS)?.join('\n') ?? text : text
}

/** The first line that differs. @param {string} watched @param {string} bare */
function difference (watched, bare) {
  const others = bare.split('\n')
  const lines = watched.split('\n')
  const at = lines.findIndex((line, i) => line !== others[i])
  return `line ${at + 1}: ${lines[at]}; without the preload: ${others[at]}`
}

const freePort = async () => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await once(server.close(), 'close')
  return port
}

/** Looks whether anybody listens, until somebody does. @param {number} port */
function watchPort (port) {
  const seen = { listens: false }
  const timer = setInterval(() => {
    const socket = net.connect(port, '127.0.0.1').on('error', () => {}).on('connect', () => {
      seen.listens = true
      clearInterval(timer)
      socket.destroy()
    })
  }, LOOK_MS)
  return { seen, end: () => clearInterval(timer) }
}

/** Whether the agent at the port counts the application's requests, as a launcher's does not. @param {number} port */
async function speaksForApp (port) {
  const { load } = remoteAgent(`http://127.0.0.1:${port}`)
  for (let i = 0; i < LOOKS; i++) {
    if (Object.values(await load().catch(() => ({}))).some(({ requests }) => requests > 0)) return true
    await sleep(LOOK_MS)
  }
  return false
}

/**
 * One run of a program, from its start to its end; an application's ends with its last answer.
 * @param {string} name @param {string} dir @param {boolean} isWatched
 * @returns {Promise<Run>}
 */
async function timed (name, dir, isWatched) {
  const { kind, command: [file, ...args] } = programs[name]
  const { cwd, PATH } = place(name, dir)
  const port = await freePort()
  const ours = { LOOPWATCH_PORT: String(port), PM2_HOME: path.join(dir, 'pm2'), NEXT_TELEMETRY_DISABLED: '1' }
  const env = { ...process.env, PATH, NODE_OPTIONS: isWatched ? `--require ${REGISTER}` : undefined, ...ours }
  const { seen, end } = watchPort(port)
  const before = treeUsage(process.pid).cpuSeconds
  const fromMs = performance.now()
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' })
  const texts = { stdout: '', stderr: '' }
  let toMs = 0
  let speaks = false
  child.stderr.setEncoding('utf8').on('data', (text) => { texts.stderr += text })
  child.stdout.setEncoding('utf8').on('data', async (text) => {
    texts.stdout += text
    if (toMs > 0 || kind !== 'application' || !ANSWERED.test(texts.stdout)) return
    toMs = performance.now()
    speaks = isWatched && await speaksForApp(port)
    child.kill()
  })
  const exit = await once(child, 'close')
  end()
  const all = texts.stdout + texts.stderr
  const after = treeUsage(process.pid).cpuSeconds
  return {
    ms: (toMs || performance.now()) - fromMs,
    cpuSeconds: before === null || after === null ? null : after - before,
    exit,
    output: exports.outputOf(texts.stdout, kind),
    lines: all.split('\n').length,
    bytes: Buffer.byteLength(all),
    // An agent that answered listened, even if nobody looked in that time.
    port: Number(seen.listens || speaks),
    speaks: Number(speaks)
  }
}

/**
 * A program without and with the preload in NODE_OPTIONS, in turn. The sample is how many times as long it takes.
 * @param {any} context
 */
exports.run = async (context) => {
  const { params: { handler: name }, data: { dir } } = context
  context.watch([])
  if (context.warmUpSeconds > 0) await timed(name, dir, false)
  /** @type {{ bare: Run, watched: Run }[]} */
  const pairs = []
  await context.measure(async () => {
    const untilMs = performance.now() + context.seconds * 1000
    while (pairs.length < FEWEST || performance.now() < untilMs) {
      const isBareFirst = pairs.length % 2 === 0
      const [first, second] = [await timed(name, dir, !isBareFirst), await timed(name, dir, isBareFirst)]
      const pair = isBareFirst ? { bare: first, watched: second } : { bare: second, watched: first }
      context.checkEqual(pair.watched.output, pair.bare.output, `stdout (${difference(pair.watched.output, pair.bare.output)})`)
      context.checkEqual(pair.watched.exit, pair.bare.exit, `its end (${pair.watched.exit}, without the preload ${pair.bare.exit})`)
      pairs.push(pair)
      context.count(2)
    }
  })
  const cpuOf = (/** @type {'bare' | 'watched'} */ side) =>
    pairs.reduce((sum, pair) => sum + Number(pair[side].cpuSeconds), 0) / pairs.length
  const [bareCpuSeconds, cpuSeconds] = [cpuOf('bare'), cpuOf('watched')]
  const added = (/** @type {'lines' | 'bytes'} */ key) =>
    median(pairs.map(({ bare, watched }) => watched[key] - bare[key]))
  return {
    value: median(pairs.map(({ bare, watched }) => watched.ms / bare.ms)),
    extra: {
      // Elsewhere than on Linux nobody counts it.
      ...(bareCpuSeconds === 0 ? {} : { cpuRatio: cpuSeconds / bareCpuSeconds, cpuSeconds, bareCpuSeconds }),
      seconds: median(pairs.map(({ watched }) => watched.ms)) / 1000,
      bareSeconds: median(pairs.map(({ bare }) => bare.ms)) / 1000,
      addedLines: added('lines'),
      addedBytes: added('bytes'),
      port: median(pairs.map(({ watched }) => watched.port)),
      speaks: median(pairs.map(({ watched }) => watched.speaks))
    }
  }
}
