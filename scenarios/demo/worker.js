'use strict'

// A queue worker without HTTP, watched by loopwatch: its jobs have names, so a block says in which job it was.
// `node scenarios/demo/worker.js <ms between two jobs that block>`
const { run, start } = require('../../lib')

const { setTimeout: sleep } = require('node:timers/promises')
const agent = start({ log: true, requests: 'on', labels: { service: 'worker' } })
const { followParent } = require('./lifeline')
const { compressReport, resizePhoto, sendMail } = require('./jobs')

const MAIL_EVERY_MS = 250
const BLOCKING_EVERY_MS = 3000

/** Jobs of the queue. A real worker gets them from Redis. @type {Record<string, () => unknown>} */
const handlers = {
  'mail:send': sendMail,
  'photos:resize': resizePhoto,
  'reports:compress': compressReport
}

const ended = new AbortController()

/** @param {string} name @param {number} tenant */
const handle = (name, tenant) => run(name, async () => {
  // The block comes after an await, as after a query.
  await sleep(1)
  return handlers[name]()
}, { tenant })

/**
 * Takes each in turn, until the worker ends; does not wait for those that are slow.
 * @param {string[]} names
 * @param {number} everyMs
 */
async function take (names, everyMs) {
  for (let i = 0; ; i++) {
    await sleep(everyMs, null, { signal: ended.signal })
    handle(names[i % names.length], i % 3)
  }
}

const parent = followParent()
const isOver = (/** @type {Error} */ { name }) => { if (name !== 'AbortError') throw new Error('the queue has failed') }
take(['mail:send'], MAIL_EVERY_MS).catch(isOver)
take(['photos:resize', 'reports:compress'], Number(process.argv[2] ?? BLOCKING_EVERY_MS)).catch(isOver)

process.once('SIGTERM', () => {
  ended.abort()
  parent.release()
  agent.stop()
})
