'use strict'

const { work } = require('../offload/work')

/** What a hook puts before the id: an answer that the caller can check. */
const PREFIX = 'resolved:'

/**
 * @typedef {object} HookOptions JSON, as it goes to worker threads
 * @property {number} consumeMs that each call takes
 * @property {number | null} stepsPerMs of fixed work; null = until so much time has gone by, whoever has used it
 * @property {number} asyncMs the hook returns a promise that takes so long besides, 0 = none
 */

/** @typedef {(id: string) => string | Promise<string>} Hook */

/** @param {number} ms */
function spin (ms) {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

/** The hook as every thread makes it for itself. @param {HookOptions} options @returns {Hook} */
exports.makeHook = ({ consumeMs, stepsPerMs, asyncMs }) => {
  const consume = consumeMs === 0 ? () => {} : stepsPerMs === null ? () => spin(consumeMs) : () => { work(consumeMs * stepsPerMs) }
  const resolveId = (/** @type {string} */ id) => {
    consume()
    return PREFIX + id
  }
  if (asyncMs === 0) return resolveId
  return (id) => new Promise((resolve) => setTimeout(() => resolve(resolveId(id)), asyncMs))
}

exports.PREFIX = PREFIX
