'use strict'

/** @import { BlockRecord } from '../types' */

/** Every coded error. Its message says what was wrong, what was expected and what it got. */
const table = {
  LOOPWATCH_ERR_OPTION: (/** @type {string} */ source, /** @type {string} */ expected, /** @type {unknown} */ actual) =>
    `${source} takes ${expected}, got ${show(actual)}`,
  LOOPWATCH_ERR_OPTION_UNKNOWN: (/** @type {string} */ key, /** @type {string} */ nearest) =>
    `unknown option "${key}", did you mean "${nearest}"?`,
  LOOPWATCH_ERR_OPTIONS: (/** @type {unknown} */ actual) =>
    `start() takes an object of options, got ${show(actual)}`,
  LOOPWATCH_ERR_ARGUMENT: (/** @type {string} */ name, /** @type {string} */ expected, /** @type {unknown} */ actual) =>
    `${name} must be ${expected}, got ${show(actual)}`,
  LOOPWATCH_ERR_BLOCKED: (
    /** @type {Pick<BlockRecord, 'durationMs' | 'cause' | 'frame'>} */ { durationMs, cause, frame },
    /** @type {number} */ overMs
  ) => {
    const reason = `the event loop was blocked for ${durationMs} ms (${cause}), more than ${overMs} ms`
    if (frame === null) return reason
    // Loaded here: every start of a process loads this table, and hardly any needs the text of a place.
    const { lineText } = require('../util/place-text')
    return `${reason}: ${frame.function ?? '(anonymous)'} (${frame.file}${lineText(frame)})`
  },
  LOOPWATCH_ERR_UNWATCHED: () =>
    'expectNoBlocks() needs a watchdog, and none is running (worker thread, bundle, stopped agent, or a watchdog ' +
      'that is restarting)',
  LOOPWATCH_ERR_BUNDLED: (/** @type {string} */ file) =>
    `${file} is missing: loopwatch was bundled. Mark it as external and install it next to the bundle`,
  LOOPWATCH_ERR_RUNTIME: (/** @type {string} */ runtime) =>
    `only Node.js is supported, and this is ${runtime}`,
  LOOPWATCH_ERR_SOURCE: (/** @type {string} */ source, /** @type {string} */ reason) =>
    `cannot read ${source}: ${reason}`,
  LOOPWATCH_ERR_RECORDING: (/** @type {string} */ file, /** @type {string} */ reason) =>
    `${file} is not a readable recording: ${reason}`,
  LOOPWATCH_ERR_ADDRESS: (/** @type {string} */ text) =>
    `${show(text)} is not a file, a folder or an address (host:port, or a URL such as http://127.0.0.1:9464)`,
  LOOPWATCH_ERR_TOOL: (/** @type {string} */ tool, /** @type {string} */ hint) =>
    `${tool} is not on the PATH: ${hint}`,
  LOOPWATCH_ERR_PROFILER: (/** @type {string} */ tool) =>
    `${tool} is not installed: npm install --save-dev ${tool}, or npm install --global ${tool}; ` +
      "'loopwatch profile cpu' works without it",
  LOOPWATCH_ERR_TARGET: (/** @type {string} */ command) =>
    `expected a Node.js command after --, such as 'node app.js', got ${show(command)}; npm scripts and shell ` +
      'commands are not supported',
  LOOPWATCH_ERR_START: (/** @type {string} */ reason) =>
    `the application could not start: ${reason}`,
  LOOPWATCH_ERR_CLUSTER: (/** @type {string} */ tool) =>
    `${tool} profiles one process, but the application forks workers with node:cluster: profile the code of one ` +
      "worker alone, or watch all of them with 'loopwatch run', whose endpoint serves /profile",
  LOOPWATCH_ERR_NO_REPORT: (/** @type {string} */ tool, /** @type {string} */ reason, /** @type {string} */ output) =>
    `${tool} produced no report: ${reason}${output === '' ? '' : `; its output:\n${output}\n`}`,
  LOOPWATCH_ERR_ATTACH: (/** @type {number} */ pid, /** @type {string} */ reason) =>
    `cannot attach to process ${pid}: ${reason}`,
  LOOPWATCH_ERR_INSPECTOR: (/** @type {number} */ pid, /** @type {string} */ reason) =>
    `cannot inspect process ${pid}: ${reason}`,
  LOOPWATCH_ERR_TOOL_ENDED: (/** @type {string} */ tool, /** @type {string} */ how, /** @type {string} */ output) =>
    `${tool} ${how}${output === '' ? '' : `; its output:\n${output}\n`}`,
  LOOPWATCH_ERR_PORT: (/** @type {string} */ flag, /** @type {number} */ port) =>
    `${flag} ${port}: the port is taken, or this user may not use it`,
  LOOPWATCH_ERR_SCENARIO: (/** @type {string} */ name, /** @type {string[]} */ names) =>
    `unknown scenario "${name}", expected one of ${names.join(', ')}; 'loopwatch scenario' describes them`,
  LOOPWATCH_ERR_SCENARIOS: (/** @type {string | undefined} */ homepage) =>
    "scenarios are not part of the installed package: run 'npm ci && npx loopwatch scenario' in a checkout of " +
      `loopwatch${homepage ? ` (${homepage})` : ''}; 'loopwatch demo' works here`,
  LOOPWATCH_ERR_VARIANT: (/** @type {string} */ name, /** @type {string} */ scenario, /** @type {string} */ nearest) =>
    `--only ${name}: ${scenario} has no such variant in this mode, did you mean "${nearest}"?`,
  LOOPWATCH_ERR_OUTPUT: (/** @type {string} */ flag, /** @type {string} */ file, /** @type {string} */ reason) =>
    `${flag} cannot write ${file}: ${reason}`,
  LOOPWATCH_ERR_PACKAGES: (/** @type {string[]} */ packages) =>
    `this scenario needs extra packages: npm install --no-save ${packages.join(' ')}`,
  LOOPWATCH_ERR_COMMAND: (/** @type {string | undefined} */ command, /** @type {string} */ reason) =>
    command === undefined ? reason : `cannot start ${command}: ${reason}`,
  LOOPWATCH_ERR_RATCHET: (/** @type {string} */ file, /** @type {string} */ reason) =>
    `${file} ${reason}`,
  LOOPWATCH_ERR_MCP: (/** @type {string} */ name) =>
    `loopwatch mcp needs ${name} version 2 or later, which is missing or failed to load: npm install ${name}`,
  LOOPWATCH_ERR_DATABASE: (/** @type {string} */ reason) =>
    `no PostgreSQL for the scenario: ${reason}`
}

/** @typedef {keyof typeof table} ErrorCode */

class LoopwatchError extends Error {
  /** @param {ErrorCode} code @param {string} message @param {{ cause?: unknown }} [options] */
  constructor (code, message, options) {
    super(message, options)
    this.name = 'LoopwatchError'
    this.code = code
  }
}

/** Placeholder of a value that a message must not show. */
const SECRET = Symbol('secret')

/** @param {unknown} value */
function show (value) {
  if (value === SECRET) return '<redacted>'
  if (typeof value === 'string') return JSON.stringify(value.length > 100 ? `${value.slice(0, 100)}…` : value)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}

/** @template {ErrorCode} C @param {C} code @param {Parameters<(typeof table)[C]>} args */
function codedError (code, ...args) {
  return new LoopwatchError(code, messageOf(code, args))
}

/**
 * A coded error with the original one as its `cause`, if there is one.
 * @template {ErrorCode} C @param {unknown} cause @param {C} code @param {Parameters<(typeof table)[C]>} args
 */
function codedErrorFrom (cause, code, ...args) {
  return new LoopwatchError(code, messageOf(code, args), cause === undefined ? undefined : { cause })
}

/** @param {ErrorCode} code @param {unknown[]} args */
function messageOf (code, args) {
  const message = /** @type {(...args: unknown[]) => string} */ (table[code])
  return message(...args)
}

exports.table = table
exports.SECRET = SECRET
exports.LoopwatchError = LoopwatchError
exports.codedError = codedError
exports.codedErrorFrom = codedErrorFrom
