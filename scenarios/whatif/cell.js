'use strict'

// The cell: one application under the same arrivals, measured, or predicted from its version on the loop.
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { startServer } = require('../load/target/server')
const { arrivalsOf, ask, send } = require('./arrivals')
const { startPrediction } = require('./prediction')
const { applications, KINDS } = require('./server/applications')
const { VERDICTS } = require('./findings')

const SERVER = path.join(__dirname, 'server', 'server.js')
const MS_PER_S = 1000
const LEAST_WARM_UP = 10
const NS_PER_MS = 1e6

/** @param {import('../harness/run/context').Context} context */
exports.run = async (context) => {
  const { variant, shared } = context
  const name = `${context.params.application}`
  const prediction = variant === 'predicted' ? startPrediction(name) : null
  const args = [...prediction?.args ?? [], SERVER, name, variant === 'in-pool' ? 'pool' : 'loop', `${shared.stepsPerMs}`]
  const server = await startServer(process.execPath, args, { env: prediction?.env })
  const agent = new http.Agent({ keepAlive: true })
  try {
    context.trackProcess('server', server.pid)
    const work = (/** @type {number} */ kind) => ask(agent, `${server.ready.url}/work?${kind}`)
    await prediction?.record(() => work(0))
    // Both sides compile the function anew: the one that is recorded, after it was stopped in.
    const end = performance.now() + context.warmUpSeconds * MS_PER_S
    for (let i = 0; i < LEAST_WARM_UP || performance.now() < end; i++) await work(i)
    const arrivals = arrivalsOf(applications[name].perSecond, context.seconds)
    const waitedMs = waitedForCpuMs(server.pid)
    const fromMs = performance.now()
    const load = await context.measure(() => send(agent, server.ready.url, arrivals))
    const starved = Math.max(0, waitedForCpuMs(server.pid) - waitedMs) / (performance.now() - fromMs)
    for (const { route, kind, body, latencyMs } of load.answered) {
      const expected = route === '/health' ? 'ok' : shared.answers[name][kind % KINDS]
      context.check(body === expected, `${name} answered ${body.slice(0, 40)}, not ${expected}`)
      if (route === '/work') context.record(latencyMs)
    }
    context.count(load.answered.length)
    const { value, extra } = prediction === null ? measured(load.answered) : predicted(await prediction.result(load))
    return { value, extra: { ...extra, starvedPercent: starved * 100 } }
  } finally {
    agent.destroy()
    await server.stop()
    prediction?.end()
  }
}

/** How long the main thread was ready to run, and others ran; 0 where that is not told. @param {number} pid */
function waitedForCpuMs (pid) {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / NS_PER_MS
  } catch {
    return 0
  }
}

/** @param {{ route: string, latencyMs: number }[]} answered */
function measured (answered) {
  const quantile = (/** @type {string} */ route, /** @type {number} */ share) => {
    const times = answered.filter((each) => each.route === route).map(({ latencyMs }) => latencyMs)
      .sort((a, b) => a - b)
    return times[Math.max(0, Math.ceil(share * times.length) - 1)]
  }
  return {
    value: quantile('/work', 0.99),
    extra: {
      p50Ms: quantile('/work', 0.5),
      healthP50Ms: quantile('/health', 0.5),
      healthP99Ms: quantile('/health', 0.99)
    }
  }
}

/** @param {Awaited<ReturnType<ReturnType<typeof startPrediction>['result']>>} found */
function predicted ({ costs, prediction: { routes, workMs, cloningMs, verdict, reason } }) {
  const [work, health] = ['GET /work', 'GET /health'].map((route) => routes.find((each) => each.route === route))
  if (work === undefined || health === undefined) throw new Error(`no prediction: ${reason}`)
  return {
    value: work.after.p99Ms,
    extra: {
      p50Ms: work.after.p50Ms,
      healthP50Ms: health.after.p50Ms,
      healthP99Ms: health.after.p99Ms,
      replayedP99Ms: work.before.p99Ms,
      replayedHealthP99Ms: health.before.p99Ms,
      workMs,
      cloningMs,
      roundTripMs: costs.roundTripMs,
      verdict: VERDICTS.indexOf(verdict)
    }
  }
}
