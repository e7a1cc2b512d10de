'use strict'

const { work } = require('../../offload/work')
const { isSlow } = require('../oracle')

/** Prefix that a hook puts before the id, so that the caller can check the answer. */
const PREFIX = 'resolved:'

/**
 * @typedef {object} HookOptions JSON, as it goes to worker threads
 * @property {number} consumeMs that each call takes
 * @property {number | null} stepsPerMs of fixed work; null = until so much time has gone by, whoever has used it
 * @property {number} [uneven] slow hooks consume so many times as much
 * @property {number} asyncMs additional time until the promise of the hook resolves, 0 = no promise
 */

/** @typedef {(id: string) => string | Promise<string>} Hook */

/** @param {number} ms */
function spin (ms) {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

/** The hook as every thread makes it for itself. @param {HookOptions} options @returns {Hook} */
exports.makeHook = ({ consumeMs, stepsPerMs, asyncMs, uneven = 1 }) => {
  const consume =
    consumeMs === 0
      ? () => {}
      : stepsPerMs === null
        ? spin
        : (/** @type {number} */ ms) => {
            work(ms * stepsPerMs)
          }
  const resolveId = (/** @type {string} */ id) => {
    consume(uneven === 1 || !isSlow(id) ? consumeMs : consumeMs * uneven)
    return PREFIX + id
  }
  if (asyncMs === 0) return resolveId
  return (id) => new Promise((resolve) => setTimeout(() => resolve(resolveId(id)), asyncMs))
}

exports.PREFIX = PREFIX
