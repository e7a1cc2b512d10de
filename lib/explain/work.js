'use strict'

const { isDoubtful, nameOf, NO_WORK, ofMost, within, workIn } = require('./fold')
const { blame, blamedFrame, isForeign, isOf, isSame, weightOf } = require('./frame')
const { ownerOf, packageNameOf } = require('../util/code-owner')
const { roundMs } = require('../util/statistics')

/**
 * @import { Frame, FrameRecord, RequestContext, WorkContext, CallbackRecord } from '../types'
 * @import { Running, Stack } from './fold'
 * @import { PassesOn } from './frame'
 * @import { FrameTable } from './source/frame-table'
 */

/** Share of a block that a callback or work needs to be listed. */
const LEAST_SHARE = 0.1
/** Packages and scopes that call the application's functions in the context of their own request. */
const IN_CONTEXT = new Set((
  'express router connect koa koa-compose fastify middie avvio restify polka hono @koa @fastify @nestjs ' +
  '@hapi @hono rxjs next nuxt @remix-run @sveltejs react-dom @vue graphql graphql-yoga mercurius ' +
  'type-graphql @apollo @graphql-tools @trpc mongoose kareem sequelize typeorm @mikro-orm objection @prisma ' +
  'axios got p-map p-retry async-retry'
).split(' '))

/**
 * @typedef {object} WorkHints
 * @property {PassesOn} [passesOn]
 * @property {(frame: Frame) => string[]} [routesOf] the routes in whose handlers a function is written
 * @property {RequestContext[]} [others] other open requests
 * @property {{ frames: Frame[] }[]} [profiled] stacks of a CPU profile, heaviest first
 */

/**
 * The work in which the blamed function was sampled: a turn of the loop may run several. `exact` is false if no sample
 * shows the function or a caller that it returned to, if most of its samples are of works with other names, or if the
 * async context may be another request's.
 * @param {Stack[]} stacks all of the block @param {Frame | null} frame the blamed one @param {WorkHints} [hints]
 * @returns {Running & { exact: boolean }}
 */
function workOf (stacks, frame, hints = {}) {
  const isBlamed = (/** @type {Frame | null} */ each) => frame === null || isSame(each, frame)
  const blamed = stacks.filter(({ frames }) => isBlamed(blamedFrame(frames, hints.passesOn)))
  const containing = blamed.length > 0 ? blamed : stacks.filter(({ frames }) => frames.some(isBlamed))
  const isSampled = containing.length > 0
  const samples = isSampled ? containing : stacks
  const running = workIn(ofMost(samples, stacks))
  const itsStacks = within(samples, (each) => nameOf(each) === nameOf(running))
  const isMost = weightOf(itsStacks) * 2 >= weightOf(samples)
  const heaviest = itsStacks[0]?.frames ?? []
  const exact = isMost && (isSampled || hasCaller(heaviest, frame, hints.profiled))
  return inContext({ ...running, exact }, isSampled ? heaviest : [], hints)
}

/**
 * Whether a stack has a caller of the blamed function. A native call is answered after it, when the function that
 * made it may have returned. A profile has lines where functions begin, and other names for those without one.
 * @param {Frame[]} stack @param {Frame | null} frame @param {WorkHints['profiled']} [profiled]
 */
function hasCaller (stack, frame, profiled = []) {
  const indexIn = (/** @type {Frame[]} */ frames) => frames.findIndex((each) => isSame(each, frame))
  const { frames } = profiled.find((each) => indexIn(each.frames) !== -1) ?? { frames: [] }
  const callers = frames.slice(indexIn(frames) + 1)
    .filter((each) => isForeign(each) || KINDS[`${each.function}`] === 'request')
  return stack.some((each) => callers.some((caller) => each.function === null
    ? each.file === caller.file && Number(each.line) >= Number(caller.line)
    : isSame(each, caller)))
}

/**
 * The stack without the only open request as the work of a timer: that would have an async context. The oldest of
 * several is reported as what it is. @param {Stack} stack @returns {Stack}
 */
exports.withoutGuess = (stack) => {
  if (stack.cut || !/timer|immediate/.test(invokerOf(stack.frames).kind)) return stack
  const isOnlyGuess = (/** @type {Stack['works'][number]} */ each) =>
    isDoubtful(each) && (each.work ?? each.request)?.among === undefined
  return { ...stack, works: stack.works.map((each) => isOnlyGuess(each) ? { ...each, ...NO_WORK } : each) }
}

/**
 * Parts with a tenth of a block, heaviest first; undefined without two.
 * @template {{ weightMs: number }} T @param {T[]} parts @param {number} totalMs
 */
function largeOf (parts, totalMs) {
  const large = parts.filter(({ weightMs }) => weightMs > LEAST_SHARE * totalMs)
  return large.length < 2 ? undefined : large.sort((a, b) => b.weightMs - a.weightMs)
}

/**
 * The works with a tenth of a block, each with its time and the line that has it.
 * @param {Stack[]} stacks all of the block @param {WorkHints} hints
 * @param {Running} named the work of the block @param {FrameRecord | null} line in it
 */
exports.sharesOf = (stacks, hints, named, line) => {
  const keyOf = (/** @type {Running} */ running) => `${nameOf(running)}\n${running.request?.route}`
  const keys = new Set(stacks.flatMap(({ works }) => works.map(keyOf)))
  return largeOf([...keys].map((key) => {
    const own = within(stacks, (each) => keyOf(each) === key)
    const blamed = blame(own, hints.passesOn)
    const frame = key === keyOf(named) ? line : blamed
    return { frame, running: workOf(own, blamed, hints), weightMs: weightOf(own) }
  }), weightOf(stacks))
}

/**
 * The work whose handler the function is written in. A limiter, queue or pool may run one request's work in the async
 * context of another: the request that leaves runs the next one's work.
 * @param {Running & { exact: boolean }} running @param {Frame[]} frames @param {WorkHints} hints
 */
function inContext (running, frames, { routesOf = () => [], others = [] }) {
  const { work, request, exact } = running
  if (work !== null && work.kind !== 'request') return running
  // Frames further out belong to the request that ran this work after its own.
  const routes = frames.filter(isOf('application')).map(routesOf)
    .find(({ length }) => length > 0) ?? []
  const isWritten = (/** @type {RequestContext} */ each) => routes.some((route) => hasRoute(each, route))
  if (request !== null && isWritten(request)) return running
  const [first, ...more] = others.filter(isWritten)
  if (first === undefined) {
    const isAlone = others.every(({ id }) => id === request?.id)
    const isInDoubt = request !== null && (routes.length > 0 || (!isAlone && isHandedOn(frames)))
    return { ...running, exact: exact && !isInDoubt }
  }
  const oldest = more.reduce((a, b) => b.startedAtMs < a.startedAtMs ? b : a, first)
  const isOne = more.every(({ method, route }) => method === first.method && route === first.route)
  return { work: asWork(oldest), request: oldest, exact: exact && isOne }
}

/**
 * Whether a request has a route, which may be mounted below another path.
 * @param {RequestContext} request @param {string} route as written in the source
 */
function hasRoute (request, route) {
  const [path, verb = request.method] = route.split(' ').reverse()
  return request.route.endsWith(path) && (verb === request.method || (verb === 'GET' && request.method === 'HEAD'))
}

/**
 * Whether the loop called a package, maybe in the context of another request. @param {Frame[]} frames innermost first
 */
function isHandedOn (frames) {
  const owners = frames.map(ownerOf)
  const isRequest = frames.some(({ file, function: name }) =>
    name === 'parserOnIncoming' || IN_CONTEXT.has(`${packageNameOf(`${file}`)?.split('/')[0]}`))
  return owners.findLast((owner) => owner !== 'node') === 'package' && !isRequest && owners.includes('application')
}

/** Work that nobody named, as far as its type asks for more. */
const BARE_WORK = { parent: null, attributes: {}, traceId: null, spanId: null, sampled: null, ended: false }

/** @param {RequestContext} request @returns {WorkContext} */
const asWork = ({ id, method, route, startedAtMs, traceId, ended }) => {
  const name = `${method} ${route}`
  return { ...BARE_WORK, kind: 'request', name, id: `${id}`, rootId: `${id}`, startedAtMs, traceId, ended }
}

/** Callbacks that are listed. */
const MOST = 5

/** Functions of Node.js that run callbacks (outermost in a stack), and what they run. @type {Record<string, string>} */
const KINDS = {
  listOnTimeout: 'timer',
  processTimers: 'timer',
  processImmediate: 'immediate',
  parserOnIncoming: 'request',
  onServerStream: 'request',
  runMicrotasks: 'continuation',
  processTicksAndRejections: 'continuation'
}

/** Functions of Node.js that call listeners and completed operations, and the name of the event or module. */
const EVENTS = /** @type {Record<string, string>} */ ({
  addChunk: 'data',
  flow: 'data',
  endReadableNT: 'end',
  onFinish: 'finish',
  emitCloseNT: 'close',
  onconnection: 'connection',
  parserOnIncomingClient: 'response',
  onexit: 'exit',
  exithandler: 'exit',
  '[nodejs.internal.kHybridDispatch]': 'message',
  onlookup: 'lookup',
  oncomplete: 'fs',
  ondone: 'crypto'
})

/**
 * Callbacks of a block: a turn of the loop runs all that are due. Those of one function for the same work count as one.
 * @param {Stack[]} stacks all of the block @param {FrameTable} [table] of their frames
 * @returns {CallbackRecord[] | undefined} heaviest first, if several ran
 */
exports.callbacksOf = (stacks, table) => {
  const callbacks = /** @type {Map<string, CallbackRecord>} */ (new Map())
  for (const { frames, works, cut } of stacks) {
    const frame = frames.findLast(isForeign)
    if (cut || !frame || ownerOf(frame) === 'own') continue
    const invoker = invokerOf(frames)
    for (const { weightMs, ...running } of works) {
      const work = nameOf(running) || null
      const key = JSON.stringify([invoker, frame.file, table?.functionOf(frame) ?? frame.function, work])
      const callback = callbacks.get(key) ?? { ...invoker, frame, work, weightMs: 0 }
      callback.weightMs += weightMs
      callbacks.set(key, callback)
    }
  }
  const all = [...callbacks.values()]
  return largeOf(all, weightOf(all))?.slice(0, MOST).map((each) => ({ ...each, weightMs: roundMs(each.weightMs) }))
}

/** The invoker of a callback, judged by Node's own functions around it. @param {Frame[]} frames innermost first */
function invokerOf (frames) {
  const around = frames.slice(frames.findLastIndex(isForeign) + 1)
  const first = (/** @type {Record<string, string>} */ names) =>
    around.map(({ function: name }) => names[`${name}`]).find(Boolean)
  const kind = first(KINDS) ?? 'event'
  // A request is an event of its server, and its end one of the queue of nextTick.
  const event = kind === 'request' ? undefined : first(EVENTS)
  return event ? { kind: 'event', event } : { kind }
}

exports.workOf = workOf
exports.BARE_WORK = BARE_WORK
