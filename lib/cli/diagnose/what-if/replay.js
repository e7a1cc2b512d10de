'use strict'

/**
 * @typedef {object} Recorded one request as it came
 * @property {number} startMs when it arrived, on any clock
 * @property {string | null} route null = work of the application that nobody waits for
 * @property {number} serviceMs that it held the event loop, with the function
 * @property {number} culpritMs of them within the function
 * @property {number} [leadMs] of the rest, what came before the function; half of the rest where that is not known
 * @property {number} [waitMs] for others (a database) while the loop was free
 *
 * @typedef {object} Costs of one request's calls of the function, made in a pool of worker threads
 * @property {number} sendMs on the loop: cloning the arguments
 * @property {number} receiveMs on the loop: reading the result
 * @property {number} heldMs on the loop: what a message there and back takes beside its content
 * @property {number} workerMs on the worker: reading the arguments and cloning the result
 * @property {number} roundTripMs of a small message to a warm worker and back, while nothing else runs
 * @property {number} workers
 *
 * @typedef {{ route: string, latencyMs: number }} Answered
 * @typedef {{ atMs: number, stage: number, request: Recorded, arrivedMs: number }} Event
 */

exports.OTHER = 'any other request'
/** @type {Recorded} */
const PROBE = { startMs: 0, route: exports.OTHER, serviceMs: 0, culpritMs: 0 }

/** @typedef {(server: number[], atMs: number, ms: number) => number} Occupy */

/** Takes the server that is free first, when it is; answers with the end. @type {Occupy} */
const occupy = (free, atMs, ms) => {
  const first = free.indexOf(Math.min(...free))
  free[first] = Math.max(free[first], atMs) + ms
  return free[first]
}

/** @param {Recorded} request @returns {[onLoop: boolean, ms: number][]} */
const whole = ({ serviceMs }) => [[true, serviceMs]]

/** @param {Recorded} request @param {Costs} costs @returns {[onLoop: boolean, ms: number][]} */
function moved ({ serviceMs, culpritMs, leadMs }, { sendMs, receiveMs, heldMs, workerMs, roundTripMs }) {
  const restMs = Math.max(0, serviceMs - culpritMs)
  const before = Math.min(restMs, leadMs ?? restMs / 2)
  return [
    [true, before + sendMs + heldMs / 2],
    [false, culpritMs + workerMs + Math.max(0, roundTripMs - heldMs)],
    [true, receiveMs + heldMs / 2 + restMs - before]
  ]
}

/**
 * Serves recorded requests again: the event loop is one server, first come, first served; a pool is as many servers as
 * it has workers.
 * @param {Recorded[]} requests in the order of their arrival
 * @param {object} how
 * @param {number | null} [how.users] so many ask one request after the other, as fast as they are answered; null = each
 *   comes when it came
 * @param {Costs | null} [how.costs] of the function in a pool; null = it stays on the loop
 * @param {number | null} [how.probeMs] so often a request comes besides that does nothing itself
 * @returns {Answered[]}
 */
exports.replay = (requests, { users = null, costs = null, probeMs = null }) => {
  const [loop, pool] = [1, costs?.workers ?? 0].map((length) => Array.from({ length }, () => -Infinity))
  /** @type {Event[]} by time; those of requests under way alone */
  const pending = []
  /** @type {Answered[]} */
  const answered = []
  let next = 0
  const arrive = (/** @type {number | null} */ atMs) => {
    const request = requests[next++]
    if (request === undefined) return
    const arrivedMs = atMs ?? request.startMs
    insert(pending, { atMs: arrivedMs, stage: 0, request, arrivedMs })
    // No user waits for it.
    if (request.route === null && atMs !== null) arrive(atMs)
  }
  for (let i = 0; i < (users ?? 1); i++) arrive(users === null ? null : 0)
  const probe = (/** @type {number} */ atMs) => insert(pending, { atMs, stage: 0, request: PROBE, arrivedMs: atMs })
  if (probeMs !== null && pending.length > 0) probe(pending[0].atMs)
  for (let event = pending.shift(); event !== undefined; event = pending.shift()) {
    const { atMs, stage, request, arrivedMs } = event
    if (request === PROBE) {
      answered.push({ route: exports.OTHER, latencyMs: occupy(loop, atMs, 0) - atMs })
      if (pending.length > 0) probe(atMs + Number(probeMs))
      continue
    }
    if (users === null && stage === 0) arrive(null)
    const stages = costs === null || request.culpritMs === 0 ? whole(request) : moved(request, costs)
    const [onLoop, ms] = stages[stage]
    const endMs = occupy(onLoop ? loop : pool, atMs, ms)
    if (stage + 1 < stages.length) {
      insert(pending, { atMs: endMs, stage: stage + 1, request, arrivedMs })
      continue
    }
    const latencyMs = endMs - arrivedMs + (request.waitMs ?? 0)
    if (request.route === null) continue
    answered.push({ route: request.route, latencyMs })
    if (users !== null) arrive(arrivedMs + latencyMs)
  }
  return answered
}

/** Behind those of the same time. @param {Event[]} events @param {Event} event */
function insert (events, event) {
  let at = events.length
  while (at > 0 && events[at - 1].atMs > event.atMs) at--
  events.splice(at, 0, event)
}
