'use strict'

const { isDeepStrictEqual } = require('node:util')
const { addUp, delayBuckets, subtract } = require('../measure/caller-delay')
const { Latency } = require('../measure/latency')
const { processUsage, threadUsage, treeUsage } = require('../measure/usage')

const REPORT_MS = 1000
/** The watchdog ends a block within a few polls of its end. */
const SETTLE_MS = 40

/** A wrong result, which is an error and never a number. */
class OracleError extends Error {}

/** Tools for the module of a cell, in the cell's own process. */
class Context {
  /** The caller's blocks during measure(), recorded by the agent. @type {import('../../../lib/types').BlockRecord[]} */
  blocks = []
  #agent
  /**
   * The agents of the event loops that count as the caller's.
   * @type {{ metrics: () => Promise<string>, blocks: () => Promise<import('../../../lib/types').BlockRecord[]> }[]}
   */
  #watched
  #tell
  #latency = new Latency()
  /** Since the last report. */
  #fresh = { operations: 0, latency: new Latency() }
  /** @type {{ role: string, read: () => { cpuSeconds: number | null, peakRssBytes: number | null } }[]} */
  #tracked = [{ role: 'caller', read: () => processUsage(process.pid) }]
  /** @type {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }[]} */
  #added = []
  /** @type {object | null} */
  #measured = null
  #checks = 0

  /**
   * @param {{ cell: import('../interface').CellPlan, mode: string, seconds: number, warmUpSeconds: number, shared:
   * Record<string, any> }} order
   * @param {any} agent of this process, null where the scenario wants none
   * @param {(message: object) => void} tell the harness
   */
  constructor ({ cell, mode, seconds, warmUpSeconds, shared }, agent, tell) {
    this.variant = cell.variant
    this.params = cell.params
    this.data = /** @type {any} */ (cell.data ?? {})
    this.mode = mode
    this.seconds = seconds
    this.warmUpSeconds = warmUpSeconds
    this.shared = shared
    this.#agent = agent
    this.#watched = agent === null ? [] : [agent]
    this.#tell = tell
    const timer = setInterval(() => this.#report(), REPORT_MS)
    timer.unref()
  }

  /** The agent watches from then on; a cell that starts at the top level does not wait for it. */
  get ready () {
    return this.#agent === null ? Promise.resolve() : this.#agent.ready
  }

  /**
   * From measure() on, delays and blocks are those of these agents together, in place of this process's own:
   * where the cell only drives a server. None = what is measured has no event loop.
   * @param {{ metrics: () => Promise<string>, blocks: () => Promise<import('../../../lib/types').BlockRecord[]> }[]}
   * agents
   */
  watch (agents) {
    this.#watched = agents
  }

  /** Counts operations that came back right. @param {number} n */
  count (n) {
    this.#fresh.operations += n
  }

  /** One operation's duration as its caller sees it. @param {number} ms */
  record (ms) {
    this.#fresh.latency.record(ms)
  }

  /**
   * From measure() on, the CPU time and memory of a process are followed under this role.
   * @param {string} role
   * @param {number} pid
   */
  trackProcess (role, pid) {
    this.#tracked.push({ role, read: () => processUsage(pid) })
  }

  /** The same of a process with all that it starts: PostgreSQL, a cluster. @param {string} role @param {number} pid */
  trackTree (role, pid) {
    this.#tracked.push({ role, read: () => treeUsage(pid) })
  }

  /**
   * The same of a thread of this process: its role ends in "thread".
   * @param {string} role
   * @param {number | null} tid
   */
  trackThread (role, tid) {
    this.#tracked.push({ role, read: () => threadUsage(tid) })
  }

  /**
   * The usage of a process or thread that came and went within measure(): CPU times add up, of memory the most counts.
   * @param {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }} usage
   */
  addUsage (usage) {
    this.#added.push(usage)
  }

  /** The oracle. @param {unknown} holds @param {string} otherwise */
  check (holds, otherwise) {
    this.#checks++
    if (!holds) throw new OracleError(otherwise)
  }

  /** @param {unknown} actual @param {unknown} expected @param {string} what */
  checkEqual (actual, expected, what) {
    this.check(isDeepStrictEqual(actual, expected), `${what} is not what it must be`)
  }

  /**
   * Runs what is measured; latencies, CPU time and the caller's delays count from here to its end.
   * @template T
   * @param {() => T | Promise<T>} work
   * @param {{ atTopLevel?: boolean }} [options] atTopLevel: begin at once, in the same turn, delays counted from the
   * agent's start
   * @returns {Promise<T>}
   */
  async measure (work, { atTopLevel = false } = {}) {
    const before = atTopLevel ? [] : await this.#delays()
    // Until then none: a rate needs the value before the first one.
    if (!atTopLevel && this.#watched.length > 0) this.#tell({ type: 'blocks', durationsMs: [] })
    this.#report()
    this.#latency.reset()
    this.#added = []
    const usedBefore = this.#tracked.map(({ read }) => read())
    const fromMs = Date.now()
    const result = await work()
    const toMs = Date.now()
    const processes = this.#tracked.map(({ role, read }, i) => {
      const now = read()
      // One that came during the measurement has used nothing before.
      const cpuBefore = i < usedBefore.length ? usedBefore[i].cpuSeconds : 0
      return {
        role,
        cpuSeconds: now.cpuSeconds === null || cpuBefore === null ? null : now.cpuSeconds - cpuBefore,
        peakRssBytes: now.peakRssBytes
      }
    })
    this.#report()
    this.#measured = {
      latency: this.#latency.counts(),
      process: [...processes, ...total(this.#added)],
      caller: await this.#caller(before, fromMs, toMs)
    }
    return result
  }

  /** The measurements, for the harness. */
  get outcome () {
    if (this.#measured === null) throw new Error('the module measured nothing: context.measure() was not called')
    if (this.#checks === 0) throw new Error('the module has no oracle: context.check() was not called')
    return this.#measured
  }

  async #delays () {
    return Promise.all(this.#watched.map(async (agent) => delayBuckets(await agent.metrics())))
  }

  /**
   * @param {Map<string, import('../measure/caller-delay').Buckets>[]} before of each agent
   * @param {number} fromMs
   * @param {number} toMs
   */
  async #caller (before, fromMs, toMs) {
    if (this.#watched.length === 0) return null
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const buckets = addUp((await this.#delays()).map((after, i) => subtract(after, before[i])))
    const records = (await Promise.all(this.#watched.map((agent) => agent.blocks()))).flat()
    this.blocks = records.filter(({ startedAt, durationMs, thread }) => {
      const startMs = Date.parse(startedAt)
      return thread === 'main' && startMs < toMs && startMs + durationMs > fromMs
    })
    const blocksMs = this.blocks.map(({ durationMs }) => durationMs)
    this.#tell({ type: 'blocks', durationsMs: blocksMs })
    return { buckets, blocksMs }
  }

  #report () {
    const { operations, latency } = this.#fresh
    if (operations === 0 && latency.count === 0) return
    const counts = latency.counts()
    this.#tell({ type: 'progress', operations, latency: counts })
    for (const [ms, count] of counts) this.#latency.record(ms, count)
    this.#fresh.operations = 0
    latency.reset()
  }
}

/** One of each role. @param {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }[]} usages */
const total = (usages) => [...new Set(usages.map(({ role }) => role))].map((role) => {
  const ofRole = usages.filter((usage) => usage.role === role)
  const known = (/** @type {'cpuSeconds' | 'peakRssBytes'} */ key) => ofRole.flatMap((usage) => usage[key] ?? [])
  const [cpu, rss] = [known('cpuSeconds'), known('peakRssBytes')]
  return {
    role,
    cpuSeconds: cpu.length === 0 ? null : cpu.reduce((sum, each) => sum + each, 0),
    peakRssBytes: rss.length === 0 ? null : Math.max(...rss)
  }
})

exports.Context = Context
exports.OracleError = OracleError
