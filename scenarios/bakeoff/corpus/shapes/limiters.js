'use strict'

// Work that waits for its turn. Whoever leaves a limiter starts the next one's work, often in its own asynchronous
// context; a batch is loaded for all who asked, in the context of the first. `here:` as in ../blocks.js.
const { setTimeout: sleep } = require('node:timers/promises')
const DataLoader = require('dataloader')
const pLimit = require('p-limit')
const { measured, moment } = require('../../target/channel')

/** The request that came first keeps the others waiting for so long. */
const HELD_MS = 300
const BLOCK_MS = 200
const BASKET = 2000

/** Jobs one after the other, written by hand. */
class Queue {
  /** @type {((done: () => void) => void)[]} */
  #jobs = []
  #isBusy = false

  /** @param {(done: () => void) => void} job */
  add (job) {
    this.#jobs.push(job)
    if (!this.#isBusy) this.#next()
  }

  #next () {
    const job = this.#jobs.shift()
    this.#isBusy = job !== undefined
    job?.(() => this.#next())
  }
}

/** One connection for all, by callbacks as drivers of databases have them. */
class Pool {
  #connection = { query: (/** @type {() => void} */ callback) => setTimeout(callback, HELD_MS) }
  #isTaken = false
  /** @type {((connection: { query: (callback: () => void) => void }) => void)[]} */
  #waiting = []

  /** @param {(connection: { query: (callback: () => void) => void }) => void} callback */
  acquire (callback) {
    if (this.#isTaken) {
      this.#waiting.push(callback)
    } else {
      this.#isTaken = true
      callback(this.#connection)
    }
  }

  release () {
    const next = this.#waiting.shift()
    this.#isTaken = next !== undefined
    next?.(this.#connection)
  }
}

const limit = pLimit(1)
const queue = new Queue()
const pool = new Pool()
/** @param {() => void} load */
const loadLater = (load) => { setTimeout(load, HELD_MS) }
const prices = new DataLoader(loadPrices, { cache: false, batchScheduleFn: loadLater })

function convertPicture () {
  const end = performance.now() + BLOCK_MS
  while (performance.now() < end); // here: queueOfOne
}

/** @param {number} sku */
const priceOf = (sku) => Math.sqrt(sku) // here: batchedLoad

/** All but one of the keys come from the basket. @param {readonly number[]} skus */
async function loadPrices (skus) {
  /** @type {number[]} */
  let found = []
  await measured('batchedLoad', function priceAll () {
    const end = performance.now() + BLOCK_MS
    while (performance.now() < end) found = skus.map(priceOf) // here: batchedLoad
  })
  return found
}

/** @param {any} router */
function mountLimited (router) {
  router.get('/:id/thumbnail', async (/** @type {any} */ _, /** @type {any} */ response) => {
    await limit(() => {
      moment('held', 'limitedByPLimit')
      return sleep(HELD_MS)
    })
    response.json({})
  })
  router.get('/:id/limitedByPLimit', async (/** @type {any} */ _, /** @type {any} */ response) => {
    await limit(() => measured('limitedByPLimit', function drawChart () {
      const end = performance.now() + BLOCK_MS
      while (performance.now() < end); // here: limitedByPLimit
    }))
    response.json({})
  })
}

/** @param {any} router */
function mountQueued (router) {
  router.get('/:id/preview', (/** @type {any} */ _, /** @type {any} */ response) => queue.add((done) => {
    moment('held', 'queueOfOne')
    setTimeout(() => {
      response.json({})
      done()
    }, HELD_MS)
  }))
  router.get('/:id/queueOfOne', (/** @type {any} */ _, /** @type {any} */ response) => queue.add((done) => {
    measured('queueOfOne', convertPicture)
    response.json({})
    done()
  }))
}

/** @param {any} router */
function mountPooled (router) {
  router.get('/:id/address', (/** @type {any} */ _, /** @type {any} */ response) => pool.acquire((connection) => {
    moment('held', 'poolWaiter')
    connection.query(() => {
      pool.release()
      response.json({})
    })
  }))
  router.get('/:id/poolWaiter', (/** @type {any} */ _, /** @type {any} */ response) => pool.acquire(() => {
    measured('poolWaiter', function formatRows () {
      const end = performance.now() + BLOCK_MS
      while (performance.now() < end); // here: poolWaiter
    })
    pool.release()
    response.json({})
  }))
}

/** @param {any} router */
function mountBatched (router) {
  router.get('/:id/price', async (/** @type {any} */ _, /** @type {any} */ response) => {
    const price = prices.load(0)
    moment('held', 'batchedLoad')
    response.json(await price)
  })
  router.get('/:id/batchedLoad', async (/** @type {any} */ _, /** @type {any} */ response) => {
    const basket = await prices.loadMany(Array.from({ length: BASKET }, (_, i) => i + 1))
    response.json(basket.length)
  })
}

exports.blocks = {}

/** @param {any} router */
exports.mountExpress = (router) => {
  for (const mount of [mountLimited, mountQueued, mountPooled, mountBatched]) mount(router)
}
