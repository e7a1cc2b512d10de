'use strict'

const { codedError, codedErrorFrom } = require('../../tables/errors')
const { degraded } = require('../../tables/degraded')
const { notKept } = require('../../tables/not-kept')
const { duration, printable } = require('../../util/sentence')
const { ask, isAddress, notOurs } = require('../common/endpoint')
const { EXIT_FAILED } = require('../common/failure')
const { parseSamples } = require('../common/parse')
const { endWithReader } = require('../common/output')
const { readSource } = require('../../util/files')
const { MS_PER_S } = require('../../util/units')
const fs = require('node:fs')
const { listenersOf } = require('../common/ports')
const { guard, isSameNamespace } = require('../attach/target-process')

/** @import { Sample } from '../common/parse' */

/** Age from which a heartbeat is reported as late: on a busy machine, a second is usual. */
const LATE_MS = 1000
/** The next step for whoever looks at a slow process. @type {[string, string]} */
const SLOW_NOW = ['slow now?', 'the steps: loopwatch docs slow-now']

/** @typedef {{ token?: string }} Flags */

/** @param {string} target @param {Flags} flags */
exports.examine = async (target, { token }) => {
  const address = /^\d+$/.test(target) ? await addressOfProcess(Number(target), token) : target
  const samples = parseSamples(await (await ask(address, 'metrics', token)).text())
  if (!samples.some(({ name }) => name === 'loopwatch_build_info')) {
    throw notOurs(address, 'it has no loopwatch metrics')
  }
  const { isWell, lines } = findings(samples, address)
  endWithReader()
  for (const each of [...lines, SLOW_NOW]) process.stdout.write(`${printable(rowOf(each))}\n`)
  if (!isWell) process.exitCode = EXIT_FAILED
}

/**
 * @param {Sample[]} samples @param {string} address of a recording: `process <pid>`
 * @param {string | null} [platform] null if it is not known
 */
function findings (samples, address, platform = isHere(address) ? process.platform : null) {
  const main = (/** @type {string} */ name) => samples.find((each) => each.name === name &&
    (each.labels.thread ?? 'main') === 'main')?.value ?? 0
  const { version, node_version: node } = /** @type {Sample} */ (samples.find(({ name }) =>
    name === 'loopwatch_build_info')).labels
  const broken = samples.filter(({ name, value }) => name === 'loopwatch_degraded' && value === 1)
    .map(({ labels }) => labels.reason)
  const blockedMs = main('loopwatch_block_in_progress_seconds') * MS_PER_S
  const ageMs = main('loopwatch_eventloop_heartbeat_age_seconds') * MS_PER_S
  const faults = broken.length === 0
    ? ['nothing']
    : broken.map((reason) => `${reason}: ${meaningIn(degraded, reason)}; the log says why (event "degraded")`)
  const isSilent = blockedMs === 0 && ageMs > LATE_MS
  const thresholdMs = main('loopwatch_config_threshold_seconds') * MS_PER_S
  /** @type {[string, string][]} */
  const lines = [
    ['watching', `${address}: loopwatch ${version} on Node.js ${node}, blocks from ${duration(thresholdMs)}`],
    [
      'loop',
      blockedMs > 0
        ? `blocked for ${duration(blockedMs)} ` +
        `${isAddress(address) ? `at this moment: loopwatch blocks ${address}` : 'when this was recorded'}`
        : `not blocked; its last heartbeat was ${duration(ageMs)} ago`
    ],
    [
      'profile',
      main('loopwatch_profiling') === 1
        ? 'on: lines of native calls are exact'
        : 'off at the moment: lines of native calls may be marked ≈'
    ],
    ['dropped', dropped(samples)],
    ...faults.map((fault) => /** @type {[string, string]} */ (['degraded', fault])),
    ...limitsOf(node, platform).map((limit) => /** @type {[string, string]} */ (['limit', limit]))
  ]
  if (isSilent) {
    lines.push(['limit', `no heartbeat for ${duration(ageMs)} without a block: the process is stopped, or gets no CPU`])
  }
  return { isWell: broken.length === 0 && !isSilent, lines }
}

/** Limits of older versions of Node.js. @param {string} node its version @param {string | null} platform */
function limitsOf (node, platform) {
  const [major, minor] = node.split('.').map(Number)
  const limits = []
  if (major < 24) {
    limits.push(`Node.js ${major}: requests are followed from the second block on, so the first one may have none; ` +
      "requests: 'on' follows them from the start, at a cost")
  }
  // Linux has the kernel's times instead.
  if ((major < 22 || (major === 22 && minor < 23)) && platform !== 'linux') {
    limits.push(`Node.js ${node}: outside Linux, CPU time is not counted, and causes are unknown: use 22.23 or later`)
  }
  return limits
}

/** Whether an address is on this machine. @param {string} address */
const isHere = (address) => /^(?:https?:\/\/)?(?:127\.|localhost\b|\[::1\])/.test(address)

/** @param {Sample[]} samples */
const dropped = (samples) => samples.filter(({ name, value }) => name === 'loopwatch_events_dropped_total' && value > 0)
  .map(({ labels: { reason }, value }) => `${meaningIn(notKept, reason)}: ${value} (${reason})`).join(', ') || 'nothing'

/** @param {Record<string, string>} meanings @param {string} reason */
const meaningIn = (meanings, reason) => Object.hasOwn(meanings, reason) ? meanings[reason] : 'not known to this version'

/**
 * Asks all ports at once. One of the application's own may never answer; an agent answers even while the loop is stuck.
 * @param {number} pid @param {string} [token] @returns {Promise<string>} host:port of its agent
 */
async function addressOfProcess (pid, token) {
  const ports = portsOf(pid)
  const answered = new AbortController()
  const address = await Promise.any(ports.map(async (port) => {
    const text = await (await ask(`127.0.0.1:${port}`, 'metrics', token,
      [answered.signal, AbortSignal.timeout(3 * MS_PER_S)])).text()
    return text.includes('loopwatch_build_info') ? `127.0.0.1:${port}` : Promise.reject(new Error('another server'))
  })).catch(({ errors }) => errors.find((/** @type {Error} */ { message }) => /token/.test(message)) ?? null)
  answered.abort()
  if (address instanceof Error) throw address
  if (address !== null) return address
  const listens = ports.length === 0
    ? 'it is not listening on any port'
    : `none of its ports (${ports.join(', ')}) is the endpoint of an agent`
  throw codedError('LOOPWATCH_ERR_SOURCE', `process ${pid}`,
    `${listens}${choiceOf(pid)}. Start it with loopwatch's start() in its code, node -r loopwatch/register or ` +
      `loopwatch run; loopwatch attach ${pid} watches it without a restart`)
}

/** The variables that may exclude a process from being watched. @param {number} pid */
function choiceOf (pid) {
  const set = (readSource(`/proc/${pid}/environ`) ?? '').split('\0')
    .filter((variable) => /^LOOPWATCH_(?:ONLY|SKIP)=./.test(variable))
  return set.length === 0 ? '' : `, and ${set.join(' and ')} may exclude it`
}

/** The TCP ports that a process of this machine listens on. @param {number} pid */
const portsOf = (pid) => {
  const listeners = listenersOf(pid)
  if (listeners === null) {
    const expected = 'host:port or a URL (process ids work on Linux only)'
    throw codedError('LOOPWATCH_ERR_OPTION', '[target]', expected, String(pid))
  }
  let isSameNetwork
  try {
    fs.readdirSync(`/proc/${pid}/fd`)
    isSameNetwork = isSameNamespace(pid, 'net')
  } catch (error) {
    const reason = error.code === 'ENOENT' ? 'there is no such process' : guard(pid)
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', `process ${pid}`, reason)
  }
  if (!isSameNetwork) {
    throw codedError('LOOPWATCH_ERR_SOURCE', `process ${pid}`,
      'it is in a container or another network namespace: run loopwatch doctor inside it (docker exec, kubectl exec)')
  }
  return [...new Set(listeners.map(({ port }) => port))]
}

/** A finding as it is shown. @param {[string, string]} finding */
const rowOf = ([head, line]) => `${head.padEnd(10)}  ${line}`

exports.SLOW_NOW = SLOW_NOW
exports.rowOf = rowOf
exports.findings = findings
exports.limitsOf = limitsOf
