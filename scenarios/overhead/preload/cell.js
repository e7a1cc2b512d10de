'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { median } = require('../../harness/measure/stats')

const EMPTY = path.join(__dirname, 'empty.js')
const PEER = path.join(__dirname, 'peer.js')
const REGISTER = require.resolve('../../../lib/register')
/** Pairs of processes at least, however long one takes. */
const FEWEST = 2
const STDERR_CHARACTERS = 2000

/**
 * Ours as its documentation has it; on any free port, as the usual one may be taken here.
 * @type {Record<string, Record<string, string>>}
 */
const OURS = { loopwatch: {}, 'loopwatch-profile-off': { LOOPWATCH_PROFILE: 'off' } }

/** @param {string} variant @returns {{ flags: string[], env: Record<string, string> }} */
exports.preloadOf = (variant) => {
  if (variant === 'nothing') return { flags: [], env: {} }
  if (variant in OURS) return { flags: ['--require', REGISTER], env: { LOOPWATCH_PORT: '0', ...OURS[variant] } }
  return { flags: ['--require', PEER], env: { WATCH: variant } }
}

/**
 * How long a process takes from its start to its end, ms.
 * @param {{ flags: string[], env: Record<string, string> }} preload
 */
async function timed ({ flags, env }) {
  const fromMs = performance.now()
  const child = spawn(process.execPath, [...flags, EMPTY], { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => { stderr = (stderr + text).slice(-STDERR_CHARACTERS) })
  const [code, signal] = await once(child, 'close')
  const elapsedMs = performance.now() - fromMs
  if (code !== 0) throw new Error(`the empty script ended (${signal ?? `exit code ${code}`}): ${stderr.trim()}`)
  return { elapsedMs, stderr }
}

/**
 * An empty script without and with the preload, in turn. The sample is what the preload adds to it.
 * @param {any} context
 */
exports.run = async (context) => {
  const preload = exports.preloadOf(context.variant)
  const bare = exports.preloadOf('nothing')
  // Files in memory, and that the preload complains of nothing.
  const [{ stderr }] = [await timed(preload), await timed(bare)]
  context.checkEqual(stderr, '', `what the preload prints on stderr (${stderr.trim()})`)
  /** @type {{ bareMs: number, watchedMs: number }[]} */
  const pairs = []
  await context.measure(async () => {
    const untilMs = performance.now() + context.seconds * 1000
    while (pairs.length < FEWEST || performance.now() < untilMs) {
      const order = pairs.length % 2 === 0 ? [bare, preload] : [preload, bare]
      const [first, second] = [(await timed(order[0])).elapsedMs, (await timed(order[1])).elapsedMs]
      pairs.push(order[0] === bare ? { bareMs: first, watchedMs: second } : { bareMs: second, watchedMs: first })
      context.count(2)
    }
  })
  return {
    value: median(pairs.map(({ bareMs, watchedMs }) => watchedMs - bareMs)),
    extra: {
      scriptMs: median(pairs.map(({ watchedMs }) => watchedMs)),
      bareScriptMs: median(pairs.map(({ bareMs }) => bareMs)),
      scripts: pairs.length
    }
  }
}
