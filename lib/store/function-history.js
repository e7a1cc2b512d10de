'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { ownMsOf } = require('../tables/causes')
const { ENOUGH_SAMPLES } = require('../tables/limits')
const { nowMs } = require('../util/clock')
const { ownerOf } = require('../util/code-owner')
const { readSource, writeTo } = require('../util/files')
const { ascending, quantile, roundMs } = require('../util/statistics')
const { duration } = require('../util/sentence')
const { BYTES_PER_MB, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_S } = require('../util/units')
const { version: ownVersion } = require('../../package.json')

/**
 * @import { ResolvedOptions } from '../options/table'
 * @import { BlockRecord, ChangeRecord, FrameRecord } from '../types'
 */

/** A version that has not run for 14 days is forgotten, with its functions. */
const KEPT_HOURS = 14 * 24
/** Most versions, and most functions of one. The absence from a version with more proves nothing. */
const VERSIONS = 30
const FUNCTIONS = 300
/** Hours in which other versions must have run to be certain: some work is done at night only. */
const LEAST_HOURS = 24
/**
 * The same in relation to the hours of this version until the function blocked. By chance, as if it did so in every
 * version, its first block comes that early in one of 20 cases; in one of two it comes before as many hours as theirs.
 */
const TIMES_LONGER = 19
/** Durations kept of a function in a version, the first ones. A comparison needs some of both, more to be certain. */
const BLOCKS = 20
const FEW_BLOCKS = 3
const ENOUGH_BLOCKS = 8
/** A function is slower if its blocks are this many times as long, and most of both do not overlap. */
const SLOWER = 2
/** Time in which a process learns of the blocks of other processes. */
const EXCHANGE_MS = MS_PER_MINUTE
/** Size up to which a file is read. The largest has 6 MB. */
const FILE_BYTES = 16 * BYTES_PER_MB
/** A file of this length, some thousand blocks, and three times what is in it is written anew. */
const LONG_CHARS = 128 * 1024
/** Longest name of a program in the name of its file, from the end. */
const NAME_CHARS = 100

/**
 * @typedef {{ age: number, ms: number[] }} Blocked `age`: hours of the version at the function's first block
 * @typedef {object} Version of an application
 * @property {string} startedAt its first process @property {Iterable<number>} hours in which it ran, since 1970
 * @property {Iterable<[key: string, Blocked]>} functions that blocked, certain to be to blame or not
 * @typedef {Version & { hours: Set<number>, functions: Map<string, Blocked> }} OwnVersion
 * @typedef {Pick<ChangeRecord, 'kind' | 'exact' | 'wasMs'>} Change
 */

/**
 * The functions that blocked in each version of an application. Each process keeps all it knows, and merges it with
 * what the file contains, in any order and any number of times.
 */
class FunctionHistory {
  /** @type {Map<string, OwnVersion>} */
  versions = new Map()
  /** @type {[version: string, Version][]} */
  #unwritten = []
  #dueAtMs = nowMs() + EXCHANGE_MS
  #startedAt = new Date(Date.now() - process.uptime() * MS_PER_S).toISOString()
  #version
  #root

  /** @param {{ version: string, root: string, file?: string }} [application] root: of the paths of its files */
  constructor ({ version, root, file } = { version: '', root: '' }) {
    this.#version = version
    this.#root = root
    this.file = file
  }

  /**
   * @param {Iterable<[version: string, Version]>} versions @returns {boolean} whether something of it is new
   * @throws if they are something else
   */
  merge = (versions) => {
    let isNew = false
    for (const [version, { startedAt, hours, functions }] of versions) {
      const own = this.versions.get(version) ?? { startedAt, hours: new Set(), functions: new Map() }
      this.versions.set(version, own)
      if (startedAt < own.startedAt) own.startedAt = startedAt
      for (const hour of hours) {
        isNew ||= !own.hours.has(hour)
        own.hours.add(hour)
      }
      for (const [key, { age, ms }] of functions) {
        const row = own.functions.get(key) ?? { age, ms: [] }
        const all = { age: Math.min(row.age, age), ms: [...new Set([...row.ms, ...ms])].slice(0, BLOCKS) }
        isNew ||= !own.functions.has(key) || all.ms.length > row.ms.length
        if (own.functions.has(key) || own.functions.size < FUNCTIONS) own.functions.set(key, all)
      }
    }
    return isNew
  }

  /** Something in the file is lost: a function of an earlier version would look new. */
  forgetOthers () {
    for (const version of this.versions.keys()) if (version !== this.#version) this.versions.delete(version)
  }

  /** The running version, which runs now. @param {Version['functions']} [functions] that block now */
  #run (functions = []) {
    const hours = [Math.floor(Date.now() / MS_PER_HOUR)]
    /** @type {[string, Version]} */
    const row = [this.#version, { startedAt: this.#startedAt, hours, functions }]
    if (this.merge([row])) this.#unwritten.push(row)
    return /** @type {OwnVersion} */ (this.versions.get(this.#version))
  }

  /**
   * Notes every function that may be to blame, so that none of them is new later.
   * @param {BlockRecord} record @returns {ChangeRecord | null} if it is the first whole block of a new function
   */
  note (record) {
    const { hours: { size: age }, functions } = this.#run()
    const [key, ...others] = [record, ...record.works ?? []].map(({ frame }) => this.#keyOf(frame))
    const ms = record.ongoing || record.works || !isToBlame(record) ? [] : [roundMs(ownMsOf(record))]
    const isFirst = ms.length > 0 && !functions.get(key)?.ms.length
    this.#run([key, ...others].map((each) => [each, { age, ms }]))
    return isFirst && record.change?.kind === 'new' ? record.change : null
  }

  /** The change by this version in the function to blame; null if nothing shows. @param {BlockRecord} record */
  changeOf = (record) => {
    const key = this.#keyOf(record.frame)
    if (key === '' || !isToBlame(record)) return null
    const own = this.#run()
    const others = [...this.versions.values()].filter((each) => each !== own)
    const earlier = others.flatMap(({ functions }) => functions.get(key) ?? [])
    const { age, ms } = own.functions.get(key) ?? { age: own.hours.size, ms: [] }
    const change = earlier.length > 0 ? slowerThan(earlier, ms, ownMsOf(record)) : newIn(others, age)
    if (change === null) return null
    const { exact, wasMs } = change
    const words = wasMs === undefined ? 'new since version' : `was ${duration(wasMs)} before`
    const text = `${exact ? '' : '≈ '}${words} ${this.#version}`
    return /** @type {ChangeRecord} */ ({ ...change, text, version: this.#version, since: own.startedAt })
  }

  /**
   * Function and file, empty without both. Lines move from version to version; so do folders and names with a digit:
   * the version of a package below .pnpm, a release, the hash of a bundle. @param {FrameRecord | null} frame
   */
  #keyOf (frame) {
    if (!frame?.file || !frame.function) return ''
    const name = frame.file.split(/[\\/]node_modules[\\/]/).slice(1).at(-1) ?? path.relative(this.#root, frame.file)
    return `${name.replace(/\w*\d\w*/g, '#')} ${frame.function}`
  }

  /**
   * @param {number} now
   * @param {{ isIdle: boolean, keepHistory: (versions: [string, Version][]) => void } | null} writer
   */
  poll (now, writer) {
    // The process may not survive the block that is to be written.
    if (!writer?.isIdle || (now < this.#dueAtMs && this.#unwritten.length === 0)) return
    this.#dueAtMs = now + EXCHANGE_MS
    this.#run()
    writer.keepHistory(this.#unwritten.splice(0))
  }
}

/**
 * Whether the function is certain: its line is, or all stacks have the function. Worker threads have few lines, and
 * loopwatch has its own versions. @param {BlockRecord} record
 */
const isToBlame = ({ frame, allowed, excused, samples, stacks, threadId }) => {
  if (frame === null || allowed || threadId !== 0 || ownerOf(frame) === 'own') return false
  return frame.exact || (!excused && samples >= ENOUGH_SAMPLES && stacks.every(({ frames }) =>
    frames.some((each) => each.file === frame.file && each.function === frame.function)))
}

/**
 * Whether a function is new that blocked in none of the other versions. @param {OwnVersion[]} others
 * @param {number} age hours of this version until it blocked @returns {Change | null}
 */
function newIn (others, age) {
  const { size } = new Set(others.flatMap(({ hours }) => [...hours]))
  if (size < age || size === 0 || others.some(({ functions }) => functions.size >= FUNCTIONS)) return null
  return { kind: 'new', exact: size >= Math.max(LEAST_HOURS, TIMES_LONGER * age) }
}

/**
 * Whether blocks, and this block, are longer than those of the slowest earlier version, with the median of that.
 * @param {Blocked[]} earlier @param {number[]} ms @param {number} blockMs @returns {Change | null}
 */
function slowerThan (earlier, ms, blockMs) {
  const now = ascending(ms)
  const [before] = earlier.map((row) => ascending(row.ms)).filter(({ length }) => length >= FEW_BLOCKS)
    .sort((a, b) => quantile(b, 1 / 2) - quantile(a, 1 / 2))
  if (!before || now.length < FEW_BLOCKS) return null
  const exact = Math.min(before.length, now.length) >= ENOUGH_BLOCKS
  // Few must not overlap at all.
  const share = exact ? 1 / 4 : 0
  const wasMs = quantile(before, 1 / 2)
  const isLonger = quantile(now, share) > quantile(before, 1 - share)
  return isLonger && Math.min(quantile(now, 1 / 2), blockMs) >= SLOWER * wasMs ? { kind: 'slower', exact, wasMs } : null
}

/**
 * Appends versions to the file, so that processes do not overwrite what others write, and reads it. A file that is
 * damaged or long is written anew; only lines that others append in these milliseconds are lost.
 * @param {string} file @param {[string, Version][]} versions @param {(reason: string) => void} onDamage
 * @returns {[string, Version][]} of all processes @throws if it cannot be written
 */
exports.exchange = (file, versions, onDamage) => {
  if (versions.length > 0) writeTo(file, 'a', `\n${JSON.stringify(versions)}\n`)
  const history = new FunctionHistory()
  const text = readSource(file, FILE_BYTES) ?? ''
  let damage = ''
  // The rest after the last line end is being written.
  for (const line of text.split('\n').slice(0, -1).filter(Boolean)) {
    try {
      history.merge(JSON.parse(line))
    } catch (error) {
      damage = error.message
    }
  }
  if (damage !== '') {
    // A function of the lost lines would look new.
    history.versions.clear()
    history.merge(versions)
    onDamage(damage)
  }
  const oldest = Date.now() / MS_PER_HOUR - KEPT_HOURS
  const kept = [...history.versions].filter(([, row]) => lastHour(row) >= oldest)
    .sort(([, a], [, b]) => lastHour(b) - lastHour(a)).slice(0, VERSIONS)
  // Map and Set are lists in JSON.
  const all = JSON.stringify(kept, (_, value) => value?.size === undefined ? value : [...value])
  if (damage !== '' || text.length > LONG_CHARS + 2 * all.length) {
    const part = `${file}.${process.pid}.part`
    writeTo(part, 'w', `${all}\n`)
    fs.renameSync(part, file)
  }
  return kept
}

/** @param {Version} version */
const lastHour = ({ hours }) => Math.max(...hours)

/**
 * Null without a version. Programs of packages (pm2, next) run applications of another version. Blocks of another
 * threshold, or named by another version of loopwatch, have a history of their own.
 * @param {{ options: ResolvedOptions, main: string | null }} data
 * @param {(folder: string) => BlockRecord['package']} packageIn
 */
exports.openHistory = ({ options: { dir, appVersion, threshold }, main }, packageIn) => {
  if (!main) return null
  let root = path.dirname(main)
  while (!packageIn(root)?.version && root !== path.dirname(root)) root = path.dirname(root)
  const owner = packageIn(root)
  const version = appVersion ?? (main.split(path.sep).includes('node_modules') ? null : owner?.version)
  const program = `${owner?.name}-${path.relative(root, main)}-${threshold}-${ownVersion}`
  const name = `functions-${program.replace(/[^\w.-]+/g, '_').slice(-NAME_CHARS)}.jsonl`
  return version ? new FunctionHistory({ version, root, file: path.join(`${dir}`, name) }) : null
}

exports.FunctionHistory = FunctionHistory
