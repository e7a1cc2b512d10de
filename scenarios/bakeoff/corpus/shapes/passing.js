'use strict'

// Functions of the application that only pass on: middleware before what takes the time, and a wrapper around it.
// `here:` as in ../blocks.js.
const { diffChars } = require('diff')
const { marked } = require('marked')
const { measured, moment } = require('../../target/channel')

const CHAPTERS = 20
const WORDS = 60
const BLOCK_MS = 200

const article = Array.from({ length: CHAPTERS }, (_, i) =>
  `# Chapter ${i}\n\nSome **strong** words, [one](https://example.org/${i}) and another.\n\n> a quotation\n> of ${i}\n`)
  .join('\n')
const contract = (/** @type {number} */ prime) =>
  Array.from({ length: WORDS }, (_, i) => `clause ${i * i % prime}`).join(' ')
const [before, after] = [contract(1009), contract(1013)]

/**
 * As each service has one, around whatever it is given.
 * @param {(...values: any[]) => any} work
 * @param {any[]} values
 */
function traced (work, ...values) {
  return work(...values)
}

exports.blocks = {
  passedByWrapper (/** @type {number} */ ms) {
    let changes = []
    const end = performance.now() + ms
    while (performance.now() < end) changes = traced(diffChars, before, after) // here: passedByWrapper
    return changes.length
  }
}

/** @param {any} _ @param {any} response */
function answer (_, response) {
  moment('ended', 'passedByExpress')
  response.json({})
}

/** @param {any} _ @param {any} __ @param {any} next */
const passOn = (_, __, next) => next()

/** @param {any} router */
exports.mountExpress = (router) => {
  router.use('/:id/passedByExpress', (/** @type {any} */ _, /** @type {any} */ __, /** @type {any} */ next) => {
    moment('began', 'passedByExpress')
    setImmediate(next)
  })
  router.use('/:id/passedByExpress', passOn)
  // A slash fits each of its parts: it is tried in some 10^8 ways, and does not fit.
  router.get(/^\/\d+\/(.+)\/(.+)\/(.+)\.pdf$/, answer) // here: passedByExpress
  router.get('/:id/passedByExpress/*path', answer)
}

/** @param {any} app */
exports.mountKoa = (app) => {
  app.use(async (/** @type {any} */ _, /** @type {() => Promise<void>} */ next) => { await next() })
  app.use((/** @type {any} */ context) => measured('passedByKoa', function renderArticle () {
    const end = performance.now() + BLOCK_MS
    while (performance.now() < end) context.body = marked.parse(article) // here: passedByKoa
  }))
}
