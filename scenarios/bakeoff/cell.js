'use strict'

// The cell: one contestant through the corpus and the traps.
const { setTimeout: sleep } = require('node:timers/promises')
const { contestants, THRESHOLD_MS } = require('./contestants')
const { corpus } = require('./corpus/corpus')
const { readRecord, readScrape } = require('./reports')
const { countBlamed, judge, summarise } = require('./score')
const { startTarget } = require('./target/target-process')
const { THREAD } = require('./target/thread-name')
const { traps } = require('./traps')

/** @typedef {import('./corpus/corpus').Case} Case */
/** @typedef {import('./contestants').Contestant} Contestant */
/** @typedef {Awaited<ReturnType<typeof startTarget>>} Target */
/** @typedef {import('./score').Verdict} Verdict */

/** Into a block, when the endpoint is asked: past the threshold. */
const ASK_AFTER_MS = 70
/** Beyond what a contestant needs, after the start. */
const CALM_MS = 200
const ENDLESS_MS = 700
const ONGOING_MS = 100
/** A histogram that begins anew with a scrape counts from its second tick on, 10 or 20 ms later. */
const BLIND_MS = 50
/**
 * A worker thread is left alone at first, and where the machine is overloaded tried with growing pauses: what it has
 * not found by then it misses.
 */
const FOUND_MS = 30000
const LOOK_MS = 200
const WARM_UP = 'recursion'
/** Prefix of the paths of a server's requests. */
const PREFIX = { plain: '/', express: '/shop/17/', fastify: '/api/17/', koa: '/' }
/** A block shorter than that is none that everyone must see. */
const LEAST_MS = 1.5 * THRESHOLD_MS
/** Questions take 2% of a block. */
const MOST_OWN_SHARE = 0.2

/** @param {Pick<Case, 'server' | 'name' | 'path'>} each */
const pathOf = ({ server, name, path }) => `${PREFIX[server]}${name}${path}`

/** @param {any} context */
exports.run = async (context) => {
  const { variant, data: { cases, traps: chosen, ms }, seconds } = context
  const contestant = contestants[variant]
  const known = corpus.filter(({ name }) => cases.includes(name))
  const sets = [...new Set(known.map(({ set }) => set))]
  const order = { contestant: variant, ms, prepares: cases.includes('jsonParse'), sets }
  const startup = known.find(({ kind }) => kind === 'startup')
  const apart = known.filter(({ flags }) => flags.length > 0)
  const target = await startTarget(order)
  context.trackTree('watched process', target.pid)
  /** @type {Verdict[]} */
  const verdicts = []
  /** @type {Record<string, number>} by trap */
  const blamed = {}
  await context.measure(async () => {
    try {
      await warmUp(context, target, contestant)
      for (const each of known.filter((each) => isShared(each) && each.kind !== 'endless')) {
        verdicts.push(await judgeCase(context, target, contestant, each))
      }
      target.forget()
      for (const name of chosen) {
        await traps[name].run(target, seconds)
        blamed[name] = countBlamed(await calm(target, contestant), target.pauses, contestant)
      }
      for (const each of known.filter(({ kind }) => kind === 'endless')) verdicts.push(judge(await observe(target, contestant, each), contestant))
    } finally {
      await target.end()
    }
    for (const each of apart) verdicts.push(await judgeApart(context, order, contestant, each))
    if (startup !== undefined) verdicts.push(judge(await observeStart(order, contestant, startup), contestant))
  })
  return resultOf(verdicts, contestant, blamed)
}

/** Whether it is in the one process of most blocks. @param {Case} each */
const isShared = ({ kind, flags }) => kind !== 'startup' && flags.length === 0

/** @param {any} context @param {Target} target @param {Contestant} contestant */
async function warmUp (context, target, contestant) {
  const { metric, settleMs } = contestant
  await target.request('plain', `/${WARM_UP}`)
  await sleep(settleMs + CALM_MS)
  await readRecords(target, contestant)
  const answer = await scrape(target, contestant)
  context.check(metric === undefined || answer?.text.includes(`\n${metric}`), `${context.variant} has no ${metric}`)
}

/**
 * One block that ends, and what the contestant makes of it.
 * @param {any} context
 * @param {Target} target
 * @param {Contestant} contestant
 * @param {Case} each
 */
async function judgeCase (context, target, contestant, each) {
  if (each.kind === 'thread') await startThread(target, contestant)
  const { truth, ...observation } = await observe(target, contestant, each)
  // None of the corpus is a block of loopwatch's own making: where it finds itself, it has harmed the application.
  const own = observation.reports.find(({ ownMs = 0, durationMs }) => ownMs > durationMs * MOST_OWN_SHARE)
  context.check(own === undefined, `${context.variant} itself was ${own?.ownMs} of ${own?.durationMs} ms of ${each.name}`)
  const tookMs = Number(truth.endMs) - truth.startMs
  context.check(tookMs >= LEAST_MS, `${each.name} blocked for ${tookMs} ms, which is not a block here`)
  context.record(tookMs)
  context.count(1)
  const verdict = judge({ truth, ...observation }, contestant)
  if (each.kind === 'thread') await target.request('plain', '/thread/end')
  return verdict
}

/**
 * One block in a process of its own, that has its module only.
 * @param {any} context @param {Record<string, unknown>} order @param {Contestant} contestant @param {Case} each
 */
async function judgeApart (context, order, contestant, each) {
  const target = await startTarget({ ...order, prepares: false, only: each.module }, each.flags)
  try {
    await warmUp(context, target, contestant)
    return await judgeCase(context, target, contestant, each)
  } finally {
    await target.end()
  }
}

/** @param {Verdict[]} verdicts @param {Contestant} contestant @param {Record<string, number>} blamed by trap */
function resultOf (verdicts, contestant, blamed) {
  const { strays, ...figures } = summarise(verdicts, contestant)
  const blamedIn = (/** @type {boolean} */ isBlock) =>
    Object.entries(blamed).reduce((sum, [name, count]) => (traps[name].isBlock === isBlock ? sum + count : sum), 0)
  return {
    value: figures.recall,
    extra: {
      ...figures,
      falsePositives: strays + blamedIn(false),
      ...(Object.keys(blamed).some((name) => traps[name].isBlock) ? { blamedInTraps: blamedIn(true) } : {}),
      ...Object.fromEntries(Object.entries(blamed).map(([name, count]) => [`blamed:${name}`, count]))
    }
  }
}

/**
 * A worker thread that has no blocks before it is watched.
 * @param {Target} target
 * @param {Contestant} contestant
 */
async function startThread (target, contestant) {
  await target.request('plain', '/thread/start')
  const { threadMetric = null } = contestant
  const isWatched = async () => threadMetric === null || readThread(await scrape(target, contestant), threadMetric) > 0
  const endMs = performance.now() + FOUND_MS
  while (performance.now() < endMs && !await isWatched()) await sleep(LOOK_MS)
  await calm(target, contestant)
}

/** @param {{ text: string } | null} answer @param {string} metric */
const readThread = (answer, metric) => Number(new RegExp(`^${metric}\\{[^}]*thread="${THREAD}"[^}]*\\} (\\S+)`, 'm').exec(answer?.text ?? '')?.[1] ?? 0)

/** Reports of the target until no more come. @param {Target} target @param {Contestant} contestant */
async function calm (target, contestant) {
  await sleep(contestant.settleMs)
  if (contestant.poke !== undefined) await target.request('fastify', contestant.poke)
  await scrape(target, contestant)
  await readRecords(target, contestant)
  return target.reports.splice(0)
}

/**
 * @param {Target} target
 * @param {Contestant} contestant
 * @param {boolean} [isOngoing] those in progress as well, which the log tells of the main thread
 */
async function readRecords (target, { records }, isOngoing = false) {
  if (records === undefined) return
  const answer = await target.get(new URL(records, `${target.ready.endpoint}`).href)
  for (const record of JSON.parse(answer?.text ?? '[]')) {
    const report = (record.ongoing && !isOngoing) || target.ids.has(record.id) ? null : readRecord(record)
    if (report !== null) target.add(report)
  }
}

/**
 * Looks until it says something, or for as long as the block lasts.
 * @param {Target} target
 * @param {Contestant} contestant
 */
async function readOngoing (target, contestant) {
  const endMs = performance.now() + ONGOING_MS
  while (contestant.records !== undefined && target.reports.length === 0 && performance.now() < endMs) {
    await readRecords(target, contestant, true)
    await sleep(BLIND_MS)
  }
}

/** @param {Target} target @param {Contestant} contestant */
async function scrape (target, { metric }) {
  const { endpoint } = target.ready
  const answer = endpoint === null ? null : await target.get(endpoint)
  if (answer !== null && metric !== undefined) {
    const report = readScrape(answer.text, metric, THRESHOLD_MS, answer.atMs)
    if (report !== null) target.reports.push(report)
    await sleep(BLIND_MS)
  }
  return answer
}

/**
 * @param {Target} target
 * @param {Contestant} contestant
 * @param {Case} each
 * @returns {Promise<import('./score').Observation>}
 */
async function observe (target, contestant, each) {
  const { name, server, kind } = each
  if (kind === 'together') await gather(target, each.requests)
  target.forget()
  if (kind === 'together') target.request(server, '/gate')
  const company = await invite(target, each)
  const requests = Array.from({ length: each.requests }, () => target.request(server, pathOf(each)))
  const { atMs: startMs } = await target.says('began', name)
  const others = company.arrive()
  await sleep(ASK_AFTER_MS)
  const askedAtMs = Date.now()
  const asked = kind === 'thread' ? readOngoing(target, contestant) : ask(target, contestant)
  if (kind === 'endless') {
    const answer = await Promise.race([asked, sleep(ENDLESS_MS, null)])
    await sleep(Math.max(0, ENDLESS_MS - (Date.now() - askedAtMs)))
    return {
      case: each,
      truth: { startMs, endMs: null },
      reports: target.reports.splice(0),
      endpoint: target.ready.endpoint === null ? null : { answered: answer !== null }
    }
  }
  const { atMs: endMs } = await target.says('ended', name, each.requests)
  await Promise.all([...requests, ...others])
  // While another thread is blocked anybody's answers.
  const answer = await asked ?? null
  const hasAsked = target.ready.endpoint !== null && askedAtMs < endMs && kind !== 'thread'
  return {
    case: each,
    truth: { startMs, endMs },
    reports: await calm(target, contestant),
    pauses: target.pauses,
    endpoint: hasAsked ? { answered: answer !== null && answer.atMs <= endMs } : null
  }
}

/**
 * Other requests that a block needs.
 * @param {Target} target
 * @param {Case} each
 * @returns {Promise<{ arrive: () => Promise<unknown>[] }>} arrive: what comes while the loop is blocked, and all that
 * is to be answered in the end
 */
async function invite (target, { name, server, company: { before, open, during } }) {
  const ask = (/** @type {string} */ last) => target.request(server, pathOf({ server, name: last, path: '' }))
  // Connections that are there, so that what comes is in the turn that is blocked.
  if (during !== undefined) await Promise.all([ask('calm'), ask('calm')])
  const held = before === undefined ? [] : [ask(before)]
  const body = open === undefined ? null : target.open(server, pathOf({ server, name: open, path: '' }))
  if (before !== undefined || open !== undefined) {
    await target.says('held', name)
    target.forget()
  }
  return {
    arrive: () => [...held, ...(body === null ? [] : [body.end()]), ...(during === undefined ? [] : [ask(during)])]
  }
}

/**
 * Opens as many connections as there will be requests, so that these come at once.
 * @param {Target} target
 * @param {number} requests
 */
const gather = (target, requests) => Promise.all(Array.from({ length: requests + 1 }, () => target.request('plain', '/calm')))

/**
 * Whether what serves the endpoint answers at all. Those that are scraped are asked for something else, as a
 * scrape within a block would begin their figures anew and take the block out of them.
 * @param {Target} target @param {Contestant} contestant
 */
async function ask (target, { metric }) {
  const { endpoint } = target.ready
  return endpoint === null ? null : target.get(metric === undefined ? endpoint : new URL('/calm', endpoint).href)
}

/**
 * The block before any turn of the loop.
 * @param {object} order
 * @param {Contestant} contestant
 * @param {Case} each
 * @returns {Promise<import('./score').Observation>}
 */
async function observeStart (order, contestant, each) {
  const target = await startTarget({ ...order, prepares: false, startsBlocked: true })
  try {
    const [{ atMs: startMs }, { atMs: endMs }] = [await target.says('began', each.name), await target.says('ended', each.name)]
    const reports = await calm(target, contestant)
    // The modules that the target loads next block as well.
    return {
      case: each,
      truth: { startMs, endMs },
      reports: reports.filter(({ atMs, durationMs }) => atMs - durationMs < endMs),
      endpoint: null
    }
  } finally {
    await target.end()
  }
}
