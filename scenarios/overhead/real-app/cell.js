'use strict'

const { startDriver } = require('../../load/driver')
const { percentile } = require('../../load/summary')
const { median } = require('../../harness/measure/stats')
const { LOAD_CORE, SERVER_CORE } = require('../server/load')
const { pin, ServerProcess } = require('../server/server-process')

/** Connections: more than are ever busy at once, unless the server falls behind. */
const USERS = 50
/**
 * Both servers are loaded in turn, in slices of this length: long against a request, short against the machine's ups
 * and downs.
 */
const SLICE_S = 2.5
/** The order of slices: each server comes first as often as last. */
const ORDER = /** @type {const} */ (['bare', 'watched', 'watched', 'bare'])

/**
 * @typedef {{ latenciesMs: number[], cpuMs: number, wallMs: number, answered: number }} Taken by one server in all its
 * slices
 */

/** @returns {Taken} */
exports.nothingTaken = () => ({ latenciesMs: [], cpuMs: 0, wallMs: 0, answered: 0 })

/**
 * The figures of one server.
 * @param {Taken} taken
 * @returns {{ p50Ms: number, p99Ms: number, p999Ms: number, cpuMs: number, cpuPercent: number }} cpuMs: of a request,
 * all threads
 */
exports.figuresOf = ({ latenciesMs, cpuMs, wallMs, answered }) => {
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  return {
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    p999Ms: percentile(sorted, 0.999),
    cpuMs: cpuMs / answered,
    cpuPercent: cpuMs / wallMs * 100
  }
}

/**
 * Ratios of a watched server to an unwatched one, and what both are made of.
 * @param {Taken} bare
 * @param {Taken} watched
 */
exports.compare = (bare, watched) => {
  const [b, w] = [exports.figuresOf(bare), exports.figuresOf(watched)]
  return {
    cpuRatio: w.cpuMs / b.cpuMs,
    p50Ratio: w.p50Ms / b.p50Ms,
    p99Ratio: w.p99Ms / b.p99Ms,
    p999Ratio: w.p999Ms / b.p999Ms,
    ...w,
    bareP50Ms: b.p50Ms,
    bareP99Ms: b.p99Ms,
    bareP999Ms: b.p999Ms,
    bareCpuMs: b.cpuMs,
    bareCpuPercent: b.cpuPercent
  }
}

/**
 * How many slices fit, the same number for both servers.
 * @param {number} seconds of both together
 * @returns {('bare' | 'watched')[]}
 */
exports.slicesIn = (seconds) => {
  const pairs = Math.max(1, Math.round(seconds / SLICE_S / 2))
  return Array.from({ length: 2 * pairs }, (_, i) => ORDER[i % ORDER.length])
}

/**
 * One slice of load on a server, while the other idles on the core of the load: what an agent takes of it while it
 * idles must not be taken from the one it is compared with.
 * @param {{ driver: import('../../load/driver').Driver, server: ServerProcess, other: ServerProcess }} parts
 * @param {number} seconds
 * @param {number} ratePerSecond
 */
async function slice ({ driver, server, other }, seconds, ratePerSecond) {
  other.runOn(LOAD_CORE)
  server.runOn(SERVER_CORE)
  const from = await server.usage()
  const fromMs = performance.now()
  const load = await driver.run({ url: server.url, users: USERS, seconds, ratePerSecond })
  const wallMs = performance.now() - fromMs
  const to = await server.usage()
  return {
    load,
    taken: {
      latenciesMs: [...load.latenciesMs],
      cpuMs: to.cpuMs - from.cpuMs,
      wallMs,
      answered: to.answered - from.answered
    }
  }
}

/**
 * How long the application takes until it listens, at its best: each is started twice, in turn.
 * @param {any} context
 */
async function startBoth (context) {
  const variants = { bare: 'nothing', watched: context.variant }
  /** @type {{ name: 'bare' | 'watched', server: ServerProcess }[]} */
  const started = []
  try {
    for (const name of ORDER) {
      const server = new ServerProcess(variants[name], context.params)
      started.push({ name, server })
      await server.ready()
      // The first two were for the time alone, and to have all files in memory.
      if (started.length <= 2) server.stop()
    }
  } catch (error) {
    for (const { server } of started) server.stop()
    throw error
  }
  const [, , { server: watched }, { server: bare }] = started
  const best = (/** @type {string} */ wanted) =>
    Math.min(...started.filter(({ name }) => name === wanted).map(({ server }) => server.startUpMs))
  return { bare, watched, startUpMs: { bare: best('bare'), watched: best('watched') } }
}

/** All slices, in turn. @param {any} context @param {any} parts @param {number} ratePerSecond */
async function measure (context, parts, ratePerSecond) {
  const taken = { bare: exports.nothingTaken(), watched: exports.nothingTaken() }
  /** @type {import('../../load/interface').LoadResult[]} */
  const loads = []
  const plan = exports.slicesIn(context.seconds)
  const seconds = Math.min(SLICE_S, context.seconds / plan.length)
  await context.measure(async () => {
    for (const name of plan) {
      const { load, taken: more } = await slice(parts[name], seconds, ratePerSecond)
      loads.push(load)
      add(taken[name], more)
    }
  })
  return { taken, loads }
}

/**
 * An application with much code in it, unwatched and watched, each with the same constant rate of requests in turn.
 * The sample is the ratio of the CPU times of a request.
 * @param {any} context
 */
exports.run = async (context) => {
  const { bare, watched, startUpMs } = await startBoth(context)
  const driver = await startDriver((requests) => context.count(requests))
  try {
    context.watch([])
    pin(driver.pid, LOAD_CORE)
    const { ratePerSecond } = context.params
    const parts = { bare: { driver, server: bare, other: watched }, watched: { driver, server: watched, other: bare } }
    const warmUpS = context.warmUpSeconds / 2
    if (warmUpS > 0) for (const name of /** @type {const} */ (['bare', 'watched'])) await slice(parts[name], warmUpS, ratePerSecond)
    const { taken, loads } = await measure(context, parts, ratePerSecond)
    await check(context, loads, watched)
    const [bareUsage, watchedUsage] = [await bare.usage(), await watched.usage()]
    const figures = exports.compare(taken.bare, taken.watched)
    return {
      value: figures.cpuRatio,
      extra: {
        ...figures,
        startUpMs: startUpMs.watched,
        bareStartUpMs: startUpMs.bare,
        startUpRatio: startUpMs.watched / startUpMs.bare,
        rssMb: watchedUsage.rssMb - bareUsage.rssMb,
        bareRssMb: bareUsage.rssMb,
        startMs: watched.startMs,
        driverUtilization: median(loads.map(({ own }) => Number(own.utilization)))
      }
    }
  } finally {
    driver.stop()
    bare.stop()
    watched.stop()
  }
}

/** @param {Taken} sum @param {Taken} more */
function add (sum, more) {
  sum.latenciesMs.push(...more.latenciesMs)
  for (const key of /** @type {const} */ (['cpuMs', 'wallMs', 'answered'])) sum[key] += more[key]
}

/**
 * Every request was answered right, none was left unsent, and the watcher has really watched.
 * @param {any} context @param {import('../../load/interface').LoadResult[]} loads @param {ServerProcess} watched
 */
async function check (context, loads, watched) {
  const errors = loads.flatMap((load) => Object.entries(load.errors)).map(([error, times]) => `${times} times ${error}`)
  context.checkEqual(errors, [], `the list of failed requests (${errors.join(', ')})`)
  const late = loads.reduce((sum, load) => sum + load.late, 0)
  context.checkEqual(late, 0, `the number of requests that were never sent, as the server fell behind (${late})`)
  await watched.checkCount(context)
}
