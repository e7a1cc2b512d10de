'use strict'

const fs = require('node:fs')
const { codedErrorFrom } = require('../tables/errors')
const { describe, printable } = require('../export/log/sentence')
const { readBlocks } = require('../store/block-file')
const { isRecord } = require('../store/record')
const { refusedPort } = require('./common/refused-port')
const { HOST_AND_PORT } = require('./common/flags')

const ANSWER_MS = 10000
/** Of wall times, which are written in whole milliseconds. */
const ROUNDING_MS = 1
/** A url that ends so names a path of the endpoint, not where that begins. */
const OWN_PATH = /\/(?:blocks|metrics|healthz|profile|)$/

/** @typedef {import('../types').BlockRecord} BlockRecord */

/**
 * `loopwatch blocks <url|dir...>`: the recorded blocks of endpoints and folders, oldest first.
 * @param {import('commander').Command} program
 */
exports.addBlocks = (program) => {
  program.command('blocks')
    .description('list recorded blocks of running agents (by url) or of folders (option dir), joined')
    .argument('<sources...>', 'http://127.0.0.1:9464 or a folder')
    .option('--json', 'whole records, one JSON line each')
    .option('--token <token>', 'bearer token of the endpoints')
    .action(list)
}

/** @param {string[]} sources @param {{ json?: boolean, token?: string }} options */
async function list (sources, { json, token }) {
  const answers = await Promise.allSettled(sources.map((source) => read(source, token)))
  const found = answers.flatMap((answer, i) => answer.status === 'rejected' ? [] : answer.value.map((record) => ({ source: sources[i], record })))
  const isJoined = sources.length > 1
  // Whoever reads may have read enough: `| head`.
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
  for (const { source, record } of latest(found)) {
    const from = `${isJoined ? `${source} ` : ''}${typeof record.worker === 'number' ? `worker ${record.worker} ` : ''}`
    const text = json ? JSON.stringify(isJoined ? { source, ...record } : record) : `${printable(`${record.startedAt} ${from}${record.id}`)} ${describe(record)}`
    process.stdout.write(`${text}\n`)
  }
  const failed = answers.find((answer) => answer.status === 'rejected')
  // One process that is gone must not hide the blocks of the others.
  if (failed) throw failed.reason
  if (found.length === 0 && !json) process.stderr.write('no blocks recorded\n')
}

/**
 * Each block once, oldest first: a worker's is in its folder and at its primary. One that has ended
 * counts before one in progress.
 * @param {{ source: string, record: BlockRecord }[]} found
 */
function latest (found) {
  /** @type {Map<string, { source: string, record: BlockRecord }[]>} containers share their pids */
  const namesakes = new Map()
  for (const each of found) {
    const known = namesakes.get(each.record.id) ?? []
    const at = known.findIndex(({ record }) => isSame(record, each.record))
    if (at < 0) known.push(each)
    else if (known[at].record.ongoing && !each.record.ongoing) known[at] = each
    namesakes.set(each.record.id, known)
  }
  return [...namesakes.values()].flat().sort((a, b) => a.record.startedAt < b.record.startedAt ? -1 : 1)
}

/** Of one id: when a block started is known exactly once it has ended. @param {BlockRecord} a @param {BlockRecord} b */
function isSame (a, b) {
  if (a.ongoing === b.ongoing) return a.startedAt === b.startedAt
  const doubtMs = a.ongoing ? a.uncertaintyMs : b.uncertaintyMs
  return Math.abs(Date.parse(a.startedAt) - Date.parse(b.startedAt)) <= doubtMs + ROUNDING_MS
}

/** @param {string} source @param {string} [token] @returns {Promise<BlockRecord[]>} */
async function read (source, token) {
  try {
    return /^https?:/i.test(source) ? await ask(source, token) : readFolder(source)
  } catch (error) {
    // Where a name has several addresses the cause is one of many, with a code and without a message.
    const reason = refusedPort(error, source) ?? (error.cause?.message || error.cause?.code || error.message)
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', source, printable(reason))
  }
}

/** @param {string} url @param {string} [token] */
async function ask (url, token) {
  const base = new URL(url)
  // Behind a proxy the endpoint may be below a path.
  if (!OWN_PATH.test(base.pathname)) base.pathname += '/'
  const response = await fetch(new URL('blocks', base), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS)
  })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
  const list = /** @type {unknown} */ (await response.json())
  const records = Array.isArray(list) ? list.filter(isRecord) : []
  if (!Array.isArray(list) || (list.length > 0 && records.length === 0)) throw new Error('what it answered is no list of blocks')
  if (records.length < list.length) passOver(url, `${list.length - records.length} of ${list.length} blocks, which cannot be told`)
  return records
}

/** @param {string} dir */
function readFolder (dir) {
  if (HOST_AND_PORT.test(dir.replace(/\/.*$/, '')) && !fs.existsSync(dir)) throw new Error('there is no such folder, and a url begins with http://')
  const { records, broken, unread } = readBlocks(dir)
  if (broken > 0) passOver(dir, `${broken} broken lines`)
  for (const { file, reason } of unread) passOver(dir, `${file}: ${reason}`)
  return records
}

/** @param {string} source @param {string} what */
function passOver (source, what) {
  process.stderr.write(`${printable(`${source}: passed over ${what}`)}\n`)
}
