'use strict'

// Several callbacks of one turn: a long one of a timer before a short one of a request, and reactions of a promise that
// a handler settles. `here:` as in ../blocks.js.
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises')
const { moment } = require('../../target/channel')

const TICK_MS = 20
const LONG_MS = 150
/** Less than a block. */
const SHORT_MS = 40
/** Node.js 26 is three times as fast. */
const WATCHED = Number.parseInt(process.versions.node) < 26 ? 1000000 : 2600000
const AT_ONCE = 2000
/** Until what leaving them behind has made of garbage is collected, and told. */
const REST_MS = 1000

/** @type {(() => void) | null} */
let due = null
// Made outside of any request.
setInterval(function onTick () {
  const run = due
  due = null
  run?.()
}, TICK_MS).unref()

/** @type {() => void} */
let close = () => {}
const closed = /** @type {Promise<void>} */ (new Promise((resolve) => { close = resolve }))

function rebuildIndex () {
  moment('began', 'timerThenRequest')
  const end = performance.now() + LONG_MS
  while (performance.now() < end); // here: timerThenRequest
}

function expireSessions () {
  moment('began', 'endAfterTimer')
  const end = performance.now() + LONG_MS
  while (performance.now() < end); // here: endAfterTimer
}

function spinShortly () {
  const end = performance.now() + SHORT_MS
  while (performance.now() < end);
}

/** A race with a promise that outlives it, as those with a signal to end: each leaves a reaction behind. */
async function leaveReactions () {
  for (let i = 0; i < WATCHED; i++) {
    Promise.race([closed, null]) // here: reactionsOfOne
    if (i % AT_ONCE === 0) await turn()
  }
  await sleep(REST_MS)
}

exports.blocks = {}

/** @param {any} router */
exports.mountExpress = (router) => {
  const answer = (/** @type {any} */ response) => response.json({})

  router.get('/:id/timerThenRequest', (/** @type {any} */ _, /** @type {any} */ response) => {
    due = rebuildIndex
    answer(response)
  })
  router.get('/:id/balance', function balance (/** @type {any} */ _, /** @type {any} */ response) {
    spinShortly()
    moment('ended', 'timerThenRequest')
    answer(response)
  })

  router.get('/:id/endAfterTimer', (/** @type {any} */ _, /** @type {any} */ response) => {
    due = expireSessions
    answer(response)
  })
  router.post('/:id/upload', (/** @type {any} */ request, /** @type {any} */ response) => {
    moment('held', 'endAfterTimer')
    request.resume().on('end', function onEnd () {
      spinShortly()
      moment('ended', 'endAfterTimer')
      answer(response)
    })
  })

  router.get('/:id/watch', async (/** @type {any} */ _, /** @type {any} */ response) => {
    await leaveReactions()
    moment('held', 'reactionsOfOne')
    answer(response)
  })
  router.get('/:id/reactionsOfOne', function settleAll (/** @type {any} */ _, /** @type {any} */ response) {
    closed.then(() => moment('ended', 'reactionsOfOne'))
    moment('began', 'reactionsOfOne')
    close() // here: settleAll
    answer(response)
  })
}
