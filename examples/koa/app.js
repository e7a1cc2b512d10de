'use strict'

require('loopwatch').start({ labels: { service: 'koa-example' } })

const Koa = require('koa')
const Router = require('@koa/router')

// Blocks: every further `a` doubles the number of ways to try a text that does not match.
const WORDS = /^(\w+\s?)*$/

/** @param {string} text */
function isWords (text) {
  return WORDS.test(text)
}

const router = new Router()
router.get('/check/:text', (context) => {
  context.body = { words: isWords(context.params.text.slice(0, 40)) }
})

const server = new Koa().use(router.routes()).listen(process.env.PORT ?? 3000, () => {
  console.log(`ask http://127.0.0.1:${server.address().port}/check/${'a'.repeat(23)}!`)
})
