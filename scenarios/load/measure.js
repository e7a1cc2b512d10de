'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { startDriver } = require('./driver')
const { betweenLoads, remoteAgent } = require('./target/remote-agent')
const { residentBytes, startSampler } = require('./target/sampler')

const MIB = 1024 * 1024
/** Until the end of a process that has closed its sockets is known. */
const SETTLE_MS = 200

/** @typedef {import('./interface').LoadOrder} LoadOrder */
/** @typedef {import('./interface').LoadResult} LoadResult */

/**
 * Drives a running server for a cell: warm-up, then what is measured, with everything that a table of
 * servers needs. The agents of the server say how its event loops were.
 * @param {any} context of the cell
 * @param {import('./target/server').Server} server
 * @param {object} plan
 * @param {LoadOrder} plan.order
 * @param {LoadOrder | null} plan.warmUp
 * @param {(order: LoadOrder) => Promise<LoadResult>} [plan.run] another driver than the built-in one
 * @param {(warm: LoadResult | null) => Promise<void>} [plan.between] before it is measured
 * @param {() => void} [plan.during] once it runs
 * @param {() => () => { role: string, cpuSeconds: number | null, peakRssBytes: number | null }[]} [plan.follow] who
 * else works, from its call to its answer's
 */
exports.measureServer = async (
  context,
  server,
  { order, warmUp, run, between = async () => {}, during = () => {}, follow = () => () => [] }
) => {
  const agents = (server.ready.agents ?? []).map(remoteAgent)
  context.watch(agents)
  let isMeasured = false
  const driver = await startDriver((requests) => {
    if (isMeasured) context.count(requests)
  })
  const pids = server.ready.pids ?? [server.pid]
  // The warm-up has as many users, whose memory a server may keep.
  const idleBytes = pids.reduce((sum, pid) => sum + residentBytes(pid), 0)
  try {
    const warm = warmUp === null ? null : await driver.run(warmUp)
    throwIfEnded(server, warm)
    await between(warm)
    pids.forEach((pid, i) => context.trackProcess(i === 0 ? 'server' : `worker ${i}`, pid))
    context.trackProcess('driver', driver.pid)
    const before = await Promise.all(agents.map((agent) => agent.load()))
    isMeasured = true
    const drive = () => (run ?? ((given) => driver.run(given)))(order)
    const { load, memory } = await measureDrive(context, server, { pids, drive, during, follow })
    const after = await Promise.all(agents.map((agent) => agent.load()))
    return {
      load,
      warm,
      extra: {
        ...extrasOf(load, { ...memory, idleBytes }, order.users),
        ...workersOf(agents.flatMap((_, i) => betweenLoads(before[i], after[i])))
      }
    }
  } catch (error) {
    throw await reasonOf(error, server)
  } finally {
    driver.stop()
  }
}

/**
 * The part that is measured: the load, with what the server and whoever else works take for it.
 * @param {any} context
 * @param {import('./target/server').Server} server
 * @param {{ pids: number[], drive: () => Promise<LoadResult>, during: () => void, follow: () => () => any[] }} parts
 * @returns {Promise<{ load: LoadResult, memory: ReturnType<ReturnType<typeof startSampler>> }>}
 */
const measureDrive = (context, server, { pids, drive, during, follow }) => context.measure(async () => {
  const endOfSampling = startSampler(pids)
  const endOfFollowing = follow()
  const running = drive()
  during()
  const load = await running
  throwIfEnded(server, load)
  for (const ms of load.latenciesMs) context.record(ms)
  for (const usage of endOfFollowing()) context.addUsage(usage)
  return { load, memory: endOfSampling() }
})

/**
 * Why a measurement failed: whatever fails on the way to a server that has ended fails because of that.
 * @param {Error} error
 * @param {import('./target/server').Server} server
 */
async function reasonOf (error, server) {
  await sleep(SETTLE_MS)
  const fault = server.fault()
  return fault === null || error.message.startsWith(fault) ? error : new Error(fault, { cause: error })
}

/** @param {import('./target/server').Server} server @param {LoadResult | null} load until then */
function throwIfEnded (server, load) {
  const fault = server.fault()
  if (fault !== null) throw new Error(load === null ? fault : `${fault}; ${load.requests} requests had been answered, ${load.failed} failed`)
}

/**
 * @param {LoadResult} load
 * @param {{ idleBytes: number, fromBytes: number, toBytes: number, peakBytes: number, peakCpuPercent: number }} memory
 * @param {number} users
 */
const extrasOf = (load, memory, users) => ({
  requests: load.requests,
  loadSeconds: load.seconds,
  failed: load.failed,
  p95Ms: load.latencyMs.p95,
  minMs: load.latencyMs.min,
  maxMs: load.latencyMs.max,
  ...(load.probeMs === null
    ? {}
    : { healthP50Ms: load.probeMs.med, healthP99Ms: load.probeMs.p99, healthUnanswered: load.probeUnanswered }),
  serverCpuPeakPercent: memory.peakCpuPercent,
  serverFromMiB: memory.fromBytes / MIB,
  serverToMiB: memory.toBytes / MIB,
  serverPeakMiB: memory.peakBytes / MIB,
  kibPerUser: (memory.peakBytes - memory.idleBytes) / 1024 / users,
  bytesReceived: load.bytesReceived,
  bytesSent: load.bytesSent,
  driverCpuSeconds: load.own.cpuSeconds,
  ...(load.own.utilization === null
    ? {}
    : { driverUtilization: load.own.utilization, driverDelayP99Ms: Number(load.own.delayP99Ms) }),
  driverWasBottleneck: load.own.isBottleneck ? 1 : 0
})

/** @param {{ worker: string, utilization: number, requests: number }[]} workers */
const workersOf = (workers) => workers.length === 0
  ? {}
  : {
      ...Object.fromEntries(workers.map(({ utilization }, i) => [`utilization${i + 1}`, utilization])),
      ...Object.fromEntries(workers.map(({ requests }, i) => [`requests${i + 1}`, requests])),
      ...imbalanceOf(workers.map(({ requests }) => requests))
    }

/** How much more than its share the busiest worker answered. @param {number[]} requests */
function imbalanceOf (requests) {
  const sum = requests.reduce((total, each) => total + each, 0)
  return requests.length < 2 || sum === 0 ? {} : { busiestShare: Math.max(...requests) / (sum / requests.length) }
}
