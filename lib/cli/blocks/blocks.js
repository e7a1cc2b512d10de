'use strict'

const fs = require('node:fs')
const { codedError, codedErrorFrom } = require('../../tables/errors')
const { counted, sentenceOf, printable } = require('../../util/sentence')
const { BlockReader, filesOf } = require('../../store/block-reader')
const { isRecording, readRecording } = require('../../store/recording')
const { isRecord } = require('../../store/record')
const { WATCH_MS, addressOf, askJson, isAddress, notOurs } = require('../common/endpoint')
const { inMarkdown, endWithReader } = require('../common/output')
const { watchSignals } = require('../common/signals')
const { topMarkdown, topTable } = require('./top')

/** @import { BlockRecord } from '../../types' */

const NO_FILES = 'no block files (blocks-*.ndjson) found; the option dir writes one when a process is first blocked'
const FILE = 'expected one JSON record per line, as the option dir and blocks --json write them'

/**
 * @typedef {{ json?: boolean, format?: 'text' | 'md', token?: string, top?: boolean, watch?: boolean, since?: number,
 *   cause?: string, route?: string, work?: string }} Flags
 * @typedef {{ source: string, record: BlockRecord }} SourcedRecord
 */

/** @param {string[]} sources @param {Flags} flags */
exports.listBlocks = async (sources, flags) => {
  endWithReader()
  if (flags.watch) return watch(sources, flags)
  const { found, failure } = await readAll(sources, flags)
  if (failure === null && found.length === 0) checkFiles(sources)
  const records = found.map(({ record }) => record)
  if (flags.top) process.stdout.write((flags.format === 'md' ? topMarkdown : topTable)(records))
  else for (const each of found) print(each, sources.length > 1, flags)
  // One process that is gone must not hide the blocks of the others.
  if (failure !== null) throw failure
  if (found.length === 0 && !flags.json && !flags.top) {
    process.stderr.write(isFiltered(flags) ? 'no recorded block matches\n' : 'no blocks recorded\n')
  }
}

/** @param {Flags} flags */
const isFiltered = ({ since, cause, route, work }) => [since, cause, route, work].some((flag) => flag !== undefined)

/** Throws if no source has a file of records: the folder may be another one. @param {string[]} sources */
function checkFiles (sources) {
  if (sources.every((source) => isOnDisk(source) && filesOf(source).length === 0)) {
    throw codedError('LOOPWATCH_ERR_SOURCE', sources.join(', '), NO_FILES)
  }
}

/**
 * Prints a block once its record stays the same: at first it lacks what the watchdog learns later.
 * @param {string[]} sources @param {Flags} flags
 */
async function watch (sources, flags) {
  const signals = watchSignals(() => process.exit(1))
  /** @type {Set<string>} */
  let told = new Set()
  /** @type {Map<string, string>} */
  let before = new Map()
  let isFirst = true
  try {
    while (!signals.isOver) {
      const { found, failure } = await readAll(sources, flags)
      // A failure at first is a typing error. Later the process may be restarting.
      if (isFirst && failure !== null) throw failure
      const ended = found.filter(({ record }) => !record.ongoing)
      const now = new Map(ended.map((each) => [keyOf(each), JSON.stringify(each.record)]))
      if (failure === null) told = new Set([...told].filter((key) => now.has(key)))
      for (const each of ended) {
        const key = keyOf(each)
        if (told.has(key) || (!isFirst && before.get(key) !== now.get(key))) continue
        told.add(key)
        print(each, sources.length > 1, flags)
      }
      before = now
      isFirst = false
      await signals.sleep(WATCH_MS).catch(() => {})
    }
  } finally {
    signals.stop()
    signals.release()
  }
}

/** @param {SourcedRecord} found */
const keyOf = ({ source, record }) => `${source} ${record.id} ${record.startedAt}`

/**
 * @param {string[]} sources @param {Flags} flags
 * @returns {Promise<{ found: SourcedRecord[], failure: Error | null }>}
 */
async function readAll (sources, flags) {
  const isWanted = filterOf(flags)
  const answers = await Promise.allSettled(sources.map((source) => read(source, flags.token)))
  const found = answers.flatMap((answer, i) => answer.status === 'rejected'
    ? []
    : answer.value.map((record) => ({ source: sources[i], record })))
  const failed = answers.find((answer) => answer.status === 'rejected')
  return { found: latest(found).filter(({ record }) => isWanted(record)), failure: failed?.reason ?? null }
}

/** @param {SourcedRecord} found @param {boolean} isJoined @param {Flags} flags */
function print ({ source, record }, isJoined, { json, format }) {
  const worker = typeof record.worker === 'number' ? `worker ${record.worker} ` : ''
  const from = `${isJoined ? `${source} ` : ''}${worker}`
  const text = json
    ? JSON.stringify(isJoined ? { source, ...record } : record)
    : line(printable(`${record.startedAt} ${from}${record.id}`), sentenceOf(record), format === 'md')
  process.stdout.write(`${text}\n`)
}

/** @param {string} which block @param {string} sentence @param {boolean} isMarkdown */
const line = (which, sentence, isMarkdown) =>
  isMarkdown ? `- ${inMarkdown(which)} ${inMarkdown(sentence)}` : `${which} ${sentence}`

/** A worker's is in its folder and at its primary. Ended ones replace ongoing ones. @param {SourcedRecord[]} found */
function latest (found) {
  /** Ids are not unique: containers share pids. @type {Map<string, SourcedRecord[]>} */
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

/**
 * For records with the same id. The start is exact only at the end, and written in whole milliseconds.
 * @param {BlockRecord} a @param {BlockRecord} b
 */
function isSame (a, b) {
  if (a.ongoing === b.ongoing) return a.startedAt === b.startedAt
  const doubtMs = a.ongoing ? a.uncertaintyMs : b.uncertaintyMs
  return Math.abs(Date.parse(a.startedAt) - Date.parse(b.startedAt)) <= doubtMs + 1
}

/** @param {string} source @param {string} [token] @returns {Promise<BlockRecord[]>} */
const read = async (source, token) => isOnDisk(source) ? readFiles(source) : ask(source, token)

/** Whether a source is a folder or a file, not an address. @param {string} source @throws if it is neither */
function isOnDisk (source) {
  if (fs.existsSync(source)) return true
  // A missing path is mistyped; anything else is a mistyped address.
  const isPath = /[\\/]/.test(source) && !/^\w+:\/\//.test(source)
  if (!isAddress(source) && isPath) throw codedError('LOOPWATCH_ERR_SOURCE', source, 'no such file or folder')
  addressOf(source)
  return false
}

/** @param {string} source @param {string} [token] */
async function ask (source, token) {
  const list = await askJson(source, 'blocks', token)
  const records = Array.isArray(list) ? list.filter(isRecord) : []
  if (!Array.isArray(list) || (list.length > 0 && records.length === 0)) {
    throw notOurs(source, 'its response is not a list of blocks')
  }
  if (records.length < list.length) {
    passOver(source, `${list.length - records.length} of ${list.length} blocks, which are not valid records`)
  }
  return records
}

/** A reader keeps the records of unchanged files. @type {Map<string, BlockReader>} */
const readers = new Map()

/** @param {string} source folder, file of records or recording */
function readFiles (source) {
  if (isRecording(source)) return readRecording(source).blocks.toReversed()
  const reader = readers.get(source) ?? new BlockReader(source)
  try {
    const { records, broken, unread } = reader.read()
    if (!fs.statSync(source).isDirectory()) {
      if (unread.length > 0) throw new Error(unread[0].reason)
      if (records.length === 0 && broken > 0) throw new Error(`${FILE}, got ${counted(broken, 'line')} and no record`)
      if (!readers.has(source)) say(source, 'read as a file with one record per line')
    }
    readers.set(source, reader)
    if (broken > 0) passOver(source, counted(broken, 'broken line'))
    for (const { file, reason } of unread) passOver(source, `${file}: ${reason}`)
    return records
  } catch (error) {
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_SOURCE', source, printable(error.message))
  }
}

/** @param {string} source @param {string} what */
const passOver = (source, what) => say(source, `skipped ${what}`)

/** What --watch has said already. @type {Set<string>} */
const said = new Set()

/** @param {string} source @param {string} what */
function say (source, what) {
  if (said.has(`${source}: ${what}`)) return
  said.add(`${source}: ${what}`)
  process.stderr.write(`${printable(`${source}: ${what}`)}\n`)
}

/**
 * @typedef {{ since?: number, until?: number, cause?: string, route?: string, work?: string, file?: string,
 *   function?: string }} Asked since: blocks that ended after it, until: that began before it, both Unix time in ms;
 *   route, work, file, function: a part of the text
 */

/** @param {Asked} asked @returns {(record: BlockRecord) => boolean} */
const filterOf = (asked) => (record) => isWithin(record, asked) && isAsked(record, asked)

/** @param {BlockRecord} record @param {Asked} asked */
const isWithin = ({ startedAt, durationMs }, { since = -Infinity, until = Infinity }) =>
  Date.parse(startedAt) + durationMs >= since && Date.parse(startedAt) <= until

/** One of the works of a block is enough. @param {BlockRecord} record @param {Asked} asked */
function isAsked (record, asked) {
  const { cause, frame, works = [] } = record
  const all = [record, ...works]
  const own = {
    route: all.map(({ request }) => request && `${request.method} ${request.route}`).join('\n'),
    work: all.map(({ work }) => work && `${work.kind} ${work.name}`).join('\n'),
    file: frame?.file,
    function: frame?.function
  }
  return (asked.cause === undefined || cause === asked.cause) && Object.entries(own).every(([name, text]) => {
    const part = asked[/** @type {keyof typeof own} */ (name)]
    return part === undefined || (text ?? '').includes(part)
  })
}

exports.filterOf = filterOf
exports.isOnDisk = isOnDisk
exports.readAll = readAll
