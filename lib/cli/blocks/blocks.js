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

const NO_BLOCKS = 'no blocks recorded; if requests are slow all the same, see: loopwatch docs io\n'
const NO_FILES = 'no block files (blocks-*.ndjson) found; the option dir writes one when a process is first blocked'
const FILE = 'expected one JSON record per line, as the option dir and blocks --json write them'

/**
 * @typedef {{ json?: boolean, format?: 'text' | 'md', token?: string, top?: boolean, watch?: boolean, since?: number,
 *   cause?: string, route?: string, work?: string, new?: boolean }} Flags
 * @typedef {{ source: string, record: BlockRecord }} SourcedRecord
 */

/** @param {string[]} sources @param {Flags} flags */
exports.listBlocks = async (sources, flags) => {
  endWithReader()
  if (flags.watch) return watch(sources, flags)
  const { blocks, failure } = await readAll(sources, flags)
  if (blocks.length === 0) {
    if (failure !== null) throw failure
    checkFiles(sources)
  }
  const records = blocks.map(({ record }) => record)
  if (flags.top) process.stdout.write((flags.format === 'md' ? topMarkdown : topTable)(records))
  else for (const block of blocks) print(block, sources.length > 1, flags)
  // One process that is gone must not hide the blocks of the others.
  if (failure !== null) throw failure
  if (blocks.length === 0 && !flags.json && !flags.top) {
    const { since, cause, route, work, new: isNew } = flags
    const isFiltered = [since, cause, route, work, isNew].some((flag) => flag !== undefined)
    process.stderr.write(isFiltered ? 'no recorded block matches\n' : NO_BLOCKS)
  }
}

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
  let printed = new Set()
  /** @type {Map<string, string>} records of the last reading, by key */
  let before = new Map()
  let isFirst = true
  try {
    while (!signals.isOver) {
      const { blocks, failure } = await readAll(sources, flags)
      // A failure at first is a typing error. Later the process may be restarting.
      if (isFirst && failure !== null) throw failure
      const ended = new Map(blocks.filter(({ record }) => !record.ongoing).map((block) => [keyOf(block), block]))
      const now = new Map([...ended].map(([key, { record }]) => [key, JSON.stringify(record)]))
      if (failure === null) printed = new Set([...printed].filter((key) => now.has(key)))
      for (const [key, block] of ended) {
        if (printed.has(key) || (!isFirst && before.get(key) !== now.get(key))) continue
        printed.add(key)
        print(block, sources.length > 1, flags)
      }
      before = now
      isFirst = false
      await signals.sleep(WATCH_MS)
    }
  } finally {
    signals.release()
  }
}

/** @param {SourcedRecord} block */
const keyOf = ({ source, record }) => `${source} ${record.id} ${record.startedAt}`

/**
 * The blocks of all sources in one list, oldest first, and the first error.
 * @param {string[]} sources @param {Flags} flags @returns {Promise<{ blocks: SourcedRecord[], failure: Error | null }>}
 */
async function readAll (sources, flags) {
  const isWanted = filterOf(flags)
  const answers = await Promise.allSettled(sources.map((source) => read(source, flags.token)))
  const blocks = answers.flatMap((answer, i) => answer.status === 'rejected'
    ? []
    : answer.value.map((record) => ({ source: sources[i], record })))
  const failed = answers.find((answer) => answer.status === 'rejected')
  return { blocks: latest(blocks).filter(({ record }) => isWanted(record)), failure: failed?.reason ?? null }
}

/** @param {SourcedRecord} block @param {boolean} isJoined one of several sources @param {Flags} flags */
function print ({ source, record }, isJoined, { json, format }) {
  if (json) return process.stdout.write(`${JSON.stringify(isJoined ? { source, ...record } : record)}\n`)
  const worker = typeof record.worker === 'number' ? `worker ${record.worker} ` : ''
  const block = printable(`${record.startedAt} ${isJoined ? `${source} ` : ''}${worker}${record.id}`)
  const sentence = sentenceOf(record)
  process.stdout.write(format === 'md'
    ? `- ${inMarkdown(block)} ${inMarkdown(sentence)}\n`
    : `${block} ${sentence}\n`)
}

/**
 * Each block once: a worker's is in its folder and at its primary. Ended ones replace ongoing ones.
 * @param {SourcedRecord[]} blocks
 */
function latest (blocks) {
  /** Ids are not unique: containers share pids. @type {Map<string, SourcedRecord[]>} */
  const byId = new Map()
  for (const block of blocks) {
    const namesakes = byId.get(block.record.id) ?? []
    const at = namesakes.findIndex(({ record }) => isSame(record, block.record))
    if (at < 0) namesakes.push(block)
    else if (namesakes[at].record.ongoing && !block.record.ongoing) namesakes[at] = block
    byId.set(block.record.id, namesakes)
  }
  return [...byId.values()].flat().sort((a, b) => a.record.startedAt < b.record.startedAt ? -1 : 1)
}

/**
 * Whether two records with one id are one block. Its start is exact only at its end, and in whole milliseconds.
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

/** Messages of --watch, which prints each once. @type {Set<string>} */
const messages = new Set()

/** @param {string} source @param {string} what */
function say (source, what) {
  const message = printable(`${source}: ${what}`)
  if (!messages.has(message)) process.stderr.write(`${message}\n`)
  messages.add(message)
}

/**
 * @typedef {{ since?: number, until?: number, cause?: string, route?: string, work?: string, file?: string,
 *   function?: string, new?: boolean }} Filter since: blocks that ended after it, until: that began before it, both
 *   Unix time in ms;
 *   route, work, file, function: a part of the text
 */

/** @param {Filter} filter @returns {(record: BlockRecord) => boolean} */
const filterOf = ({ since = -Infinity, until = Infinity, cause, new: isNew, ...parts }) => (record) => {
  const startMs = Date.parse(record.startedAt)
  if (startMs + record.durationMs < since || startMs > until) return false
  if (cause !== undefined && record.cause !== cause) return false
  if (isNew && record.change?.kind !== 'new') return false
  // One of the works of a block is enough.
  const works = [record, ...record.works ?? []]
  const texts = {
    route: works.map(({ request }) => request && `${request.method} ${request.route}`).join('\n'),
    work: works.map(({ work }) => work && `${work.kind} ${work.name}`).join('\n'),
    file: record.frame?.file ?? '',
    function: record.frame?.function ?? ''
  }
  return Object.entries(texts).every(([name, text]) =>
    text.includes(parts[/** @type {keyof typeof texts} */ (name)] ?? ''))
}

exports.filterOf = filterOf
exports.isOnDisk = isOnDisk
exports.readAll = readAll
