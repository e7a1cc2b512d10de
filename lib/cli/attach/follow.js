'use strict'

const { codedError, codedErrorFrom } = require('../../tables/errors')
const { frameText, place } = require('../../util/place-text')
const { printable, sentenceOf } = require('../../util/sentence')
const { shownStacks } = require('../../util/shown-stacks')
const { telling } = require('../../export/log/pretty')
const { isAlive } = require('../../util/processes')
const { WATCH_MS, refusedPort } = require('../common/endpoint')
const { ANSWER_MS } = require('./inspector')
const { MS_PER_S } = require('../../util/units')

/** @import { BlockRecord } from '../../types' */

/** Longest silence of the agent: enough to start its thread in the process. */
const READY_MS = 15000
/** Interval after which a block in progress is printed again. */
const AGAIN_MS = 5000
/** Number of earlier blocks that are printed: one may be why somebody attached. */
const EARLIER = 5

/**
 * @typedef {{ wasOver: boolean, staysListed: boolean, atMs: number, verdict: string }} Telling
 *   `staysListed` is false for a worker thread's block, which may turn out to be none
 * @typedef {Map<string, Telling>} PrintedBlocks blocks of the last list, in the order in which they were printed
 */

const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`)
const print = (/** @type {string} */ text) => process.stdout.write(`${printable(text)}\n`)

/** Without the day if it is today (UTC). @param {string} iso @param {string} [nowIso] */
function clockTime (iso, nowIso = new Date().toISOString()) {
  const [day, time] = iso.slice(0, 23).split('T')
  return nowIso.startsWith(day) ? time : `${day} ${time}`
}

/**
 * Prints the latest earlier blocks, then new ones, until a signal comes or the process ends.
 * @param {string} url @param {string | undefined} token of its agent @param {number} pid
 * @param {ReturnType<typeof import('../common/signals').watchSignals>} signals
 */
exports.follow = async (url, token, pid, signals) => {
  /** @type {PrintedBlocks} */
  let printed = new Map()
  let beforeMs = Date.now()
  let answeredMs = performance.now()
  while (!signals.isOver) {
    const { records, status, refused, error } = await ask(url, token)
    if (refused !== null) throw codedErrorFrom(error, 'LOOPWATCH_ERR_ATTACH', pid, `its agent is at ${url}: ${refused}`)
    if (status === 401) {
      throw codedError('LOOPWATCH_ERR_ATTACH', pid,
        `its agent at ${url} ${token === undefined ? 'requires a token: --token' : 'rejects this --token'}`)
    }
    if (records !== null) {
      answeredMs = performance.now()
      printed = tellAll(records, printed, beforeMs)
      // Other new blocks came after the first list. Their times are not compared: the clock may be set meanwhile.
      beforeMs = -Infinity
    } else if (!isAlive(pid)) {
      say(`process ${pid} has ended`)
      return
    } else if (performance.now() - answeredMs > READY_MS) {
      const how = status === null ? 'does not answer' : `answers ${status}`
      throw codedErrorFrom(error, 'LOOPWATCH_ERR_ATTACH', pid, `its agent at ${url} ${how} (${READY_MS / MS_PER_S} s)`)
    }
    await signals.sleep(WATCH_MS)
  }
}

/**
 * @param {string} url @param {string | undefined} token
 * @returns {Promise<{ records: BlockRecord[] | null, status: number | null, refused: string | null, error?: Error }>}
 */
async function ask (url, token) {
  /** @type {Record<string, string>} */
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    const response = await fetch(new URL('/blocks', url), {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_MS)
    })
    return {
      records: response.ok ? /** @type {any} */ (await response.json()) : null,
      status: response.status,
      refused: null
    }
  } catch (error) {
    return { records: null, status: null, refused: refusedPort(error, url), error }
  }
}

/**
 * @param {BlockRecord[]} records newest first @param {PrintedBlocks} printed
 * @param {number} [beforeMs] Unix time; only the latest of the blocks that ended earlier are printed
 */
function tellAll (records, printed, beforeMs = -Infinity) {
  const newest = [...printed].findLast(([, { staysListed }]) => staysListed)?.[0]
  if (newest !== undefined && !records.some(({ id }) => id === newest)) {
    say('more blocks ended than the agent keeps: some are not shown')
  }
  const earlier = records.filter(
    ({ ongoing, startedAt, durationMs }) => !ongoing && Date.parse(startedAt) + durationMs < beforeMs
  )
  const hidden = new Set(earlier.slice(EARLIER))
  if (hidden.size > 0) say(`${hidden.size} earlier blocks are not shown`)
  return new Map(
    records
      .toReversed()
      .map((record) => [record.id, hidden.has(record) ? tellingOf(record) : tell(record, printed.get(record.id))])
  )
}

/** @param {BlockRecord} record @param {Telling} [last] how it was printed before */
function tell (record, last) {
  const { frame, ongoing, startup, startedAt, durationMs } = record
  const isSame = last !== undefined && last.verdict === verdictOf(record)
  if (last !== undefined && (last.wasOver || (ongoing && isSame && performance.now() - last.atMs < AGAIN_MS))) {
    return last
  }
  // The agent did not see the process start: a block at "startup" may have begun long before the agent came.
  const sentence = sentenceOf({ ...record, startup: false }, { isAtLeast: ongoing || startup })
  print(`${clockTime(new Date(Date.parse(startedAt) + durationMs).toISOString())} ${sentence}`)
  // Print the stack again only if the block is found in another place.
  const [stack] = isSame ? [] : shownStacks(record).stacks
  for (const line of telling(stack?.frames.map(frameText) ?? [], frame)) print(`    ${line}`)
  return tellingOf(record)
}

/** @param {BlockRecord} record */
function verdictOf ({ cause, frame }) {
  return `${cause} ${place(frame)}`
}

/** @param {BlockRecord} record printed now @returns {Telling} */
function tellingOf (record) {
  const { ongoing, threadId } = record
  return {
    wasOver: !ongoing,
    staysListed: !ongoing && threadId === 0,
    atMs: performance.now(),
    verdict: verdictOf(record)
  }
}

exports.clockTime = clockTime
exports.print = print
exports.say = say
exports.tellAll = tellAll
