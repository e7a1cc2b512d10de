'use strict'

const { setTimeout: sleep } = require('node:timers/promises')
const { STACK } = require('./expressions')

/** @import { Remote } from './remote' */

const PERIOD_MS = 20
/** A late answer has the stack after a native call, not within it. */
const ANSWER_MS = 1000

/** @param {Remote} remote @param {number} ms @returns {Promise<string[] | null>} null = no answer */
async function askStack (remote, ms) {
  const answer = await remote.evaluate(STACK, { ms })
  return answer !== null && 'value' in answer && Array.isArray(answer.value) ? answer.value : null
}

/**
 * Loads nothing into the process. Finds busy spells by sampling: callbacks without a pause between them count as one.
 * onSpell is called when a spell reaches the threshold and when it ends.
 * @param {Remote} remote
 * @param {{ thresholdMs: number, isOver: () => boolean,
 *   onSpell: (spell: { ms: number, ongoing: boolean, frames: string[] }) => void }} watch
 */
exports.watchFromOutside = async (remote, { thresholdMs, isOver, onSpell }) => {
  /** @type {{ startMs: number, frames: string[], isTold: boolean } | null} */
  let spell = null
  let lastIdleMs = performance.now()
  while (!isOver() && !remote.isClosed) {
    const askedMs = performance.now()
    const frames = await askStack(remote, ANSWER_MS)
    const nowMs = performance.now()
    const wasHeldUp = nowMs - askedMs >= thresholdMs
    const isIdle = frames !== null && frames.length === 0
    if (!isIdle || wasHeldUp) {
      spell ??= { startMs: lastIdleMs, frames: [], isTold: false }
      if (frames !== null && frames.length > 0 && spell.frames.length === 0) spell.frames = frames
      const ms = nowMs - spell.startMs
      if (!spell.isTold && ms >= thresholdMs && !isIdle) {
        spell.isTold = true
        onSpell({ ms, ongoing: true, frames: spell.frames })
      }
    }
    if (isIdle) {
      const ms = spell === null ? 0 : nowMs - spell.startMs
      if (spell !== null && ms >= thresholdMs) onSpell({ ms, ongoing: false, frames: spell.frames })
      spell = null
      lastIdleMs = nowMs
    }
    await sleep(PERIOD_MS)
  }
}

exports.askStack = askStack
