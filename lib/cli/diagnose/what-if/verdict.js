'use strict'

const { quantile } = require('../../common/quantile')
const { OTHER, replay } = require('./replay')

/** Moving frees the loop where it costs the loop less than this share of the work: as the scenario `offload` has it. */
const PAYS_BELOW = 0.5
/** A p99 that changes by less is within what runs differ by anyhow. */
const MATTERS = 0.2
/** A replay of what was that is off by more than this factor says nothing of what would be. */
const FITS = 2

/**
 * @typedef {import('./replay').Recorded} Recorded
 * @typedef {import('./replay').Costs} Costs
 * @typedef {{ p50Ms: number, p99Ms: number }} Latency
 * @typedef {{ route: string, requests: number, before: Latency, after: Latency }} RouteChange
 *
 * @typedef {object} Prediction
 * @property {'pays' | 'does not pay' | 'makes no difference' | 'unknown'} verdict
 * @property {string | null} reason why it is unknown
 * @property {RouteChange[]} routes the worst p99 first
 * @property {number} workMs mean of a request that calls the function
 * @property {number} cloningMs of that request, on the loop
 */

/** @param {string} reason @returns {Prediction} */
exports.unknown = (reason) => ({ verdict: 'unknown', reason, routes: [], workMs: 0, cloningMs: 0 })

/**
 * What becomes of recorded requests where one function moves to a pool of worker threads.
 * @param {object} recorded
 * @param {Recorded[]} recorded.requests in the order of their arrival
 * @param {number | null} [recorded.users] see replay()
 * @param {Costs} recorded.costs
 * @param {number | null} [recorded.measuredP50Ms] of all requests of the run; the replay must come near it
 * @param {number | null} [recorded.probeMs] see replay()
 * @returns {Prediction}
 */
exports.predict = ({ requests, users = null, costs, measuredP50Ms = null, probeMs = null }) => {
  const calling = requests.filter(({ culpritMs }) => culpritMs > 0)
  if (calling.length === 0) return exports.unknown('no request was seen to call it')
  const was = replay(requests, { users, probeMs })
  const { p50Ms } = latencyOf(was.filter(({ route }) => route !== OTHER))
  if (measuredP50Ms !== null && Math.max(p50Ms / measuredP50Ms, measuredP50Ms / p50Ms) > FITS) {
    return exports.unknown(`the run's p50 was ${figure(measuredP50Ms)} ms and its replay's is ${figure(p50Ms)} ms, so more than this loop decides`)
  }
  const is = replay(requests, { users, costs, probeMs })
  const routes = [...new Set(was.map(({ route }) => route))].map((route) => {
    const [before, after] = [was, is].map((all) => all.filter((each) => each.route === route))
    return { route, requests: before.length, before: latencyOf(before), after: latencyOf(after) }
  }).sort((a, b) => b.before.p99Ms - a.before.p99Ms)
  const workMs = calling.reduce((sum, { culpritMs }) => sum + culpritMs, 0) / calling.length
  const cloningMs = costs.sendMs + costs.receiveMs + costs.heldMs
  const verdict = cloningMs >= PAYS_BELOW * workMs
    ? 'does not pay'
    : exports.weigh(routes.map(({ before, after }) => ({ beforeMs: before.p99Ms, afterMs: after.p99Ms })))
  return { verdict, reason: null, routes, workMs, cloningMs }
}

/**
 * Whether what some gain is more than what others lose.
 * @param {{ beforeMs: number, afterMs: number }[]} p99s of routes
 * @returns {Prediction['verdict']}
 */
exports.weigh = (p99s) => {
  const changes = p99s.map(({ beforeMs, afterMs }) => ({ share: afterMs / beforeMs - 1, ms: afterMs - beforeMs }))
  const gainMs = -Math.min(0, ...changes.filter(({ share }) => share < -MATTERS).map(({ ms }) => ms))
  const lossMs = Math.max(0, ...changes.filter(({ share }) => share > MATTERS).map(({ ms }) => ms))
  if (lossMs > gainMs) return 'does not pay'
  return gainMs > lossMs ? 'pays' : 'makes no difference'
}

/** @param {{ latencyMs: number }[]} answered @returns {Latency} */
function latencyOf (answered) {
  const times = answered.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b)
  return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99) }
}

/** @param {number} ms */
const figure = (ms) => ms >= 10 ? ms.toFixed(0) : ms >= 1 ? ms.toFixed(1) : ms.toFixed(2)

/**
 * The prediction in a sentence.
 * @param {string} name of the function
 * @param {Prediction} prediction
 * @param {Pick<Costs, 'sendMs' | 'receiveMs'>} [costs]
 */
exports.inWords = (name, { verdict, reason, routes, workMs, cloningMs }, costs) => {
  if (verdict === 'unknown') return `Whether it pays to move ${name} to a worker thread is unknown: ${reason}.`
  const changes = routes.slice(0, 3).map(({ route, before, after }) => `${route} ${figure(before.p99Ms)} → ${figure(after.p99Ms)} ms`)
  const balance = `${figure(cloningMs)} ms of cloning and messages for ${figure(workMs)} ms of work`
  const sentence = `${name} in a worker thread, predicted: p99 of ${changes.join(', of ')}; ${balance}: ${verdict}.`
  if (verdict === 'pays') return `${sentence} With piscina: export ${name} from a file of its own, make \`const pool = new Piscina({ filename })\` once at the start, and call \`await pool.run(argument)\`.`
  if (verdict === 'makes no difference' || costs === undefined || cloningMs < PAYS_BELOW * workMs) return sentence
  return `${sentence} ${costs.receiveMs > costs.sendMs ? 'Its result' : 'What it is given'} costs most of that: have the worker read or write it itself, or stream it.`
}
