'use strict'

const { blame, blamedFrame, isSame, weightOf } = require('./frame')
const { nameOf, ofMost, within, workIn } = require('./fold')
const { ownerOf, packageNameOf } = require('../util/code-owner')

/**
 * @import { Frame, FrameRecord, RequestContext, WorkContext, CallbackRecord } from '../types'
 * @import { Running, Stack } from './fold'
 * @import { PassesOn } from './frame'
 * @import { FrameTable } from './source/frame-table'
 */

/** A callback or work with a smaller share of a block is not listed. */
const LEAST_SHARE = 0.1
/** Packages and scopes that call the application's functions in the context of their own request. */
const IN_CONTEXT = new Set([
  'express', 'router', 'connect', 'koa', 'koa-compose', 'fastify', 'middie', 'avvio', 'restify', 'polka', 'hono',
  '@koa', '@fastify', '@nestjs', '@hapi', '@hono', 'rxjs', 'next', 'nuxt', '@remix-run', '@sveltejs', 'react-dom', '@vue',
  'graphql', 'graphql-yoga', 'mercurius', 'type-graphql', '@apollo', '@graphql-tools', '@trpc', 'mongoose', 'kareem',
  'sequelize', 'typeorm', '@mikro-orm', 'objection', '@prisma', 'axios', 'got', 'p-map', 'p-retry', 'async-retry'
])

/**
 * @typedef {object} WorkHints
 * @property {PassesOn} [passesOn]
 * @property {(frame: Frame) => string[]} [routesOf] the routes in whose handlers a function is written
 * @property {RequestContext[]} [others] other open requests
 * @property {{ frames: Frame[] }[]} [profiled] stacks of a CPU profile, heaviest first
 */

/**
 * The work in which the blamed function was seen. Line and work come from the same samples: a turn of the loop may run
 * several works. `exact` is false if no sample shows the function or a caller that it returned to, if most of its
 * samples are of works with other names, or if the async context may be another request's.
 * @param {Stack[]} stacks all of the block @param {Frame | null} frame the blamed one @param {WorkHints} [known]
 * @returns {Running & { exact: boolean }}
 */
function workOf (stacks, frame, known = {}) {
  const own = frame === null ? stacks : stacksOf(stacks, frame, known.passesOn)
  const seen = (own.length > 0 ? own : stacks).flatMap(({ works }) => works)
  const told = workIn(own.length > 0 ? ofMost(own, stacks) : stacks)
  const isMost = weightOf(seen.filter((each) => nameOf(each) === nameOf(told))) * 2 >= weightOf(seen)
  const isOfIt = (/** @type {Stack} */ { works }) => works.some((each) => nameOf(each) === nameOf(told))
  const heaviest = own.find(isOfIt)
  const isShown = heaviest !== undefined || (frame !== null && isBack(stacks.find(isOfIt), frame, known.profiled))
  return inContext({ ...told, exact: isShown && isMost }, heaviest?.frames ?? [], known)
}

/**
 * Whether a stack shows a caller of the blamed function. A native call is answered after it, when the function that
 * made it may have returned. A profile has lines where functions begin, and other names for those without one.
 * @param {Stack | undefined} stack @param {Frame} frame @param {WorkHints['profiled']} [profiled]
 */
function isBack (stack, frame, profiled = []) {
  const isIt = (/** @type {Frame} */ each) => isSame(each, frame)
  const frames = profiled.find((each) => each.frames.some(isIt))?.frames ?? []
  const callers = frames.slice(frames.findIndex(isIt) + 1)
    .filter((each) => ownerOf(each) !== 'node' || KINDS[`${each.function}`] === 'request')
  return stack?.frames.some((each) => callers.some((caller) => each.function === null
    ? each.file === caller.file && Number(each.line) >= Number(caller.line)
    : isSame(each, caller))) === true
}

/**
 * A guess at the request, made without an async context, is dropped where a timer runs: a request would be its context.
 * @param {Stack} stack @returns {Stack}
 */
exports.withoutGuess = (stack) => {
  if (stack.cut || !['timer', 'immediate'].includes(invokerOf(stack.frames).kind)) return stack
  const works = stack.works.map((each) =>
    (each.work ?? each.request)?.exact === false ? { ...each, work: null, request: null } : each)
  return { ...stack, works }
}

/**
 * What each work has of a block, and where it has it, heaviest first; undefined if no two have a tenth of it.
 * @param {Stack[]} stacks all of the block @param {WorkHints} known
 * @param {Running} told the work that is named @param {FrameRecord | null} line in it
 */
function sharesOf (stacks, known, told, line) {
  const keyOf = (/** @type {Running} */ running) => `${nameOf(running)}\n${running.request?.route}`
  const keys = new Set(stacks.flatMap(({ works }) => works.map(keyOf)))
  const shares = [...keys].map((key) => {
    const own = within(stacks, (each) => keyOf(each) === key)
    const blamed = blame(own, known.passesOn)
    const frame = key === keyOf(told) ? line : blamed
    return { frame, running: workOf(own, blamed, known), weightMs: weightOf(own) }
  }).filter(({ weightMs }) => weightMs > LEAST_SHARE * weightOf(stacks)).sort((a, b) => b.weightMs - a.weightMs)
  return shares.length < 2 ? undefined : shares
}

/**
 * Stacks in which a function is to blame; if there are none, those that contain it.
 * @param {Stack[]} stacks @param {Frame} frame @param {PassesOn} [passesOn]
 */
function stacksOf (stacks, frame, passesOn) {
  const blamed = stacks.filter(({ frames }) => isSame(blamedFrame(frames, passesOn), frame))
  return blamed.length > 0 ? blamed : stacks.filter(({ frames }) => frames.some((each) => isSame(each, frame)))
}

/**
 * A limiter, queue or pool may run one request's work in the async context of another: the request that leaves runs the
 * next one's work. The handler in which the function is written shows the right one.
 * @param {Running & { exact: boolean }} told @param {Frame[]} frames @param {WorkHints} known
 */
function inContext (told, frames, { routesOf = () => [], others = [] }) {
  const { work, request } = told
  if (work !== null && work.kind !== 'request') return told
  // Frames further out belong to the request that ran this work after its own.
  const routes = frames.map((frame) => ownerOf(frame) === 'application' ? routesOf(frame) : [])
    .find(({ length }) => length > 0) ?? []
  if (request !== null && routes.some((route) => isOf(request, route))) return told
  const written = others.filter((each) => routes.some((route) => isOf(each, route)))
  if (written.length === 0) {
    const isAlone = others.every(({ id }) => id === request?.id)
    const isInDoubt = request !== null && (routes.length > 0 || (!isAlone && isHandedOn(frames)))
    return isInDoubt ? { ...told, exact: false } : told
  }
  const oldest = written.reduce((first, each) => each.startedAtMs < first.startedAtMs ? each : first)
  const isOne = written.every(({ method, route }) => method === oldest.method && route === oldest.route)
  return { work: asWork(oldest), request: oldest, exact: told.exact && isOne }
}

/** It may be mounted elsewhere. @param {RequestContext} request @param {string} route as written in the source */
function isOf (request, route) {
  const [path, verb = request.method] = route.split(' ').reverse()
  return request.route.endsWith(path) && (verb === request.method || (verb === 'GET' && request.method === 'HEAD'))
}

/** The loop called a package, maybe in the context of another request. @param {Frame[]} frames innermost first */
function isHandedOn (frames) {
  const outermost = frames.findLast((frame) => ownerOf(frame) !== 'node')
  const isPackage = outermost !== undefined && ownerOf(outermost) === 'package'
  const isRequest = frames.some(({ file, function: name }) =>
    name === 'parserOnIncoming' || IN_CONTEXT.has(packageNameOf(file ?? '')?.split('/')[0] ?? ''))
  return isPackage && !isRequest && frames.some((frame) => ownerOf(frame) === 'application')
}

/** @param {RequestContext} request @returns {WorkContext} */
function asWork ({ id, method, route, startedAtMs, traceId, ended }) {
  const own = { kind: /** @type {const} */ ('request'), name: `${method} ${route}`, id: `${id}`, rootId: `${id}` }
  return { ...own, parent: null, startedAtMs, attributes: {}, traceId, spanId: null, sampled: null, ended }
}

/** Most callbacks that are listed. */
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
 * A turn of the loop runs all callbacks that are due. Those of one function for the same work count as one.
 * @param {Stack[]} stacks all of the block @param {FrameTable} [table] of their frames
 * @returns {CallbackRecord[] | undefined} heaviest first, if several ran
 */
exports.callbacksOf = (stacks, table) => {
  /** @type {Map<string, CallbackRecord>} */
  const callbacks = new Map()
  for (const { frames, works, cut } of stacks) {
    const frame = cut ? undefined : frames.findLast((each) => ownerOf(each) !== 'node')
    if (frame === undefined || ownerOf(frame) === 'own') continue
    const { kind, event } = invokerOf(frames)
    for (const { weightMs, ...running } of works) {
      const name = nameOf(running) || null
      const key = [kind, event, frame.file, table?.functionOf(frame) ?? frame.function, name].join('\n')
      const known = callbacks.get(key) ?? { kind, ...(event && { event }), frame, work: name, weightMs: 0 }
      callbacks.set(key, { ...known, weightMs: known.weightMs + weightMs })
    }
  }
  const all = [...callbacks.values()]
  const leastMs = LEAST_SHARE * weightOf(all)
  const listed = all.filter(({ weightMs }) => weightMs > leastMs).sort((a, b) => b.weightMs - a.weightMs).slice(0, MOST)
  if (listed.length < 2) return undefined
  return listed.map((each) => ({ ...each, weightMs: Math.round(each.weightMs * 10) / 10 }))
}

/** What ran a callback, judged by Node's own functions around it. @param {Frame[]} frames innermost first */
function invokerOf (frames) {
  const around = frames.slice(frames.findLastIndex((each) => ownerOf(each) !== 'node') + 1)
  const first = (/** @type {Record<string, string>} */ names) =>
    around.map(({ function: name }) => names[`${name}`]).find((found) => found !== undefined)
  // A request is an event of its server, and its end one of the queue of nextTick.
  const kind = first(KINDS) ?? 'event'
  const event = kind === 'request' ? undefined : first(EVENTS)
  return { kind: event === undefined ? kind : 'event', event }
}

exports.sharesOf = sharesOf
exports.workOf = workOf
