'use strict'

const path = require('node:path')
const { isatty } = require('node:tty')
const { styleText } = require('node:util')
const { causes, isOwnBlock } = require('../../tables/causes')
const { isInPackage } = require('../../util/code-owner')
const { outOf } = require('../../util/memory-text')
const process = require('../../util/process')
const { frameText } = require('../../util/place-text')
const { printable } = require('../../util/sentence')
const { markedRows, shownStacks } = require('../../util/shown-stacks')
const { timePartsOf } = require('../labels')

/** @import { Cause } from '../../tables/causes' */
/** @import { BlockRecord, FrameRecord } from '../../types' */

/** @typedef {'bold' | 'dim' | 'red' | 'green' | 'yellow'} Style */
/** Levels of pino that the log uses. @type {Record<number, [name: string, color: Style]>} */
const LEVELS = { 20: ['DEBUG', 'dim'], 30: ['INFO ', 'green'], 40: ['WARN ', 'yellow'], 50: ['ERROR', 'red'] }
/** styleText() of Node.js 20 has no options. @type {(style: Style, text: string, options: object) => string} */
const style = styleText

/** @typedef {(style: Style, text: string) => string} Paint */

/** @param {boolean} hasColors @returns {Paint} */
const painter = (hasColors) => (name, text) => hasColors ? style(name, text, { validateStream: false }) : text

/**
 * Formats lines for people. A settled block has its reason and place below its line.
 * @param {{ hasColors: boolean, cwd?: string }} settings `cwd`: paths below it are shown relative to it
 * @returns {(json: string) => string} what is not a JSON object stays unchanged
 */
exports.makePretty = ({ hasColors, cwd = '' }) => {
  const paint = painter(hasColors)
  const root = cwd === '' || cwd === path.sep ? '' : cwd + path.sep
  return (json) => {
    const line = parse(json)
    if (line === null) return json
    const [level, color] = LEVELS[line.level] ?? ['     ', 'dim']
    const head = `[${clock(line.time)}] ${paint(color, level)} `
    const message = printable(`${line.msg ?? ''}`)
    if (line.event === 'opened' || line.event === 'lasting') return `${head}${paint('dim', message)}\n`
    if (!isFinished(line)) return `${head}${message}\n`
    const below = belowOf(line, root).map((text) => paint('dim', `    ${printable(text)}`))
    return `${[head + paint('bold', message), ...below].join('\n')}\n`
  }
}

/** Reason, measurements and stack; if stuck, every stack. @param {any} line @param {string} root @returns {string[]} */
function belowOf (line, root) {
  if (line.event === 'stuck') return stuckStacks(line.record, root)
  if (isOwnBlock({ evidence: {}, ...line })) return ['why: loopwatch itself blocked the thread; please report this']
  // The code is not to blame, or it is loading modules: lines have level info.
  if (line.level === 30) return []
  const rows = telling(line.stack ?? [], line.frame ?? null, root)
  const isProfiled = line.stackFrom === 'profile' && rows.length > 0
  return [`why: ${meaning(line.cause)}`, `     ${evidence(line)}`, ...(isProfiled ? [`${OF_PROFILE}:`] : []), ...rows]
}

/** Heading of a stack of the CPU profile. */
const OF_PROFILE = 'by the CPU profile, callers where they begin'

/** @param {BlockRecord} record @param {string} root */
function stuckStacks (record, root) {
  const { stacks, isProfiled } = shownStacks(record)
  const of = isProfiled ? `${record.profile?.samples} samples ${OF_PROFILE}` : `${record.samples} stack samples`
  return [`why: ${meaning(record.cause)}`, ...stacks.flatMap(({ count, frames }, i) => {
    const rows = markedRows(frames.map(frameText), i === 0 ? record.frame : null, '  ')
    return [`${count} of ${of}:`, ...rows.map((row) => fromRoot(row, root))]
  })]
}

/** @param {any} line */
const isFinished = ({ event, cause }) => ['settled', 'stuck'].includes(event) && typeof cause === 'string'

/** @param {string} cause */
const meaning = (cause) => causes[/** @type {Cause} */ (cause)]?.meaning ?? cause

/** @param {string} json @returns {any} */
function parse (json) {
  try {
    const line = JSON.parse(json)
    return typeof line === 'object' && line !== null ? line : null
  } catch {
    return null
  }
}

/** @param {number} time Unix time in ms @returns {string} local time of day */
function clock (time) {
  const date = new Date(time)
  return `${date.toTimeString().split(' ')[0]}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** The parts of a block: CPU time and pauses of the collector would overlap. @param {any} line */
function evidence ({ parts, samples = 0, evidence = {} }) {
  return [
    ...timePartsOf({ parts }).map(({ label, ms }) => ms >= 1 && `${Math.round(ms)} ms ${label}`),
    evidence.memory?.isHeapFull && `heap ${outOf(evidence.memory.heapUsedBytes, evidence.memory.heapLimitBytes)}`,
    `${samples} stack ${samples === 1 ? 'sample' : 'samples'}`
  ].filter(Boolean).join(', ')
}

/**
 * The stack up to the outermost line of the application: the callers beyond it are the same for all.
 * @param {string[]} stack innermost first, each as `name (file:line:column)`
 * @param {FrameRecord | null} [frame] the concluded place, marked where the stack does not have it
 * @param {string} [root] folder with a separator at the end; it is left out of paths
 */
function telling (stack, frame = null, root = '') {
  const lines = stack.map((line) => line.replace(/^at /, ''))
  const end = lines.findLastIndex((line) => !isForeign(line))
  const shown = lines.slice(0, Math.min(5, end + 1))
  return shown.length === 0 ? [] : markedRows(shown, frame).map((row) => fromRoot(row, root))
}

/** @param {string} line @param {string} root */
function fromRoot (line, root) {
  return root === '' ? line : line.replace(`(${root}`, '(')
}

/** Whether a frame is of a package or of Node.js. @param {string} line */
function isForeign (line) {
  const file = /\((.*)\)$/.exec(line)?.[1] ?? line
  return file.startsWith('node:') || file === 'native' || isInPackage(file)
}

/** Variables that switch colors off unless they are empty. */
const SWITCHED_OFF = ['NO_COLOR', 'NODE_DISABLE_COLORS']

/** FORCE_COLOR, else NO_COLOR, else the terminal decides. @param {NodeJS.ProcessEnv} env @param {boolean} isTerminal */
function hasColors (env, isTerminal) {
  const { FORCE_COLOR: forced, TERM } = env
  if (forced) return forced !== '0' && forced !== 'false'
  if (SWITCHED_OFF.some((name) => env[name]) || TERM === 'dumb') return false
  return isTerminal
}

/**
 * Null for lines that stay JSON: for a pipe, a file or a log collector.
 * @param {'json' | 'pretty' | undefined} format undefined: pretty on a terminal
 * @param {1 | 2 | string} destination @param {{ env?: NodeJS.ProcessEnv, isTerminal?: boolean }} [surroundings]
 */
exports.formatter = (format, destination, surroundings = {}) => {
  const { env = process.env, isTerminal = typeof destination === 'number' && isatty(destination) } = surroundings
  const isPretty = format === undefined ? isTerminal : format === 'pretty'
  return isPretty ? exports.makePretty({ hasColors: hasColors(env, isTerminal), cwd: workingDirectory() }) : null
}

/** Empty if the folder has been deleted. */
function workingDirectory () {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}

exports.hasColors = hasColors
exports.telling = telling
