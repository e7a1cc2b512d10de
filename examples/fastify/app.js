'use strict'

const loopwatch = require('loopwatch').start({ labels: { service: 'fastify-example' } })

const { pbkdf2Sync } = require('node:crypto')
const fastify = require('fastify')

/** Blocks: the call waits for the hash where `pbkdf2` with a callback would not. @param {string} password */
function hash (password) {
  return pbkdf2Sync(password, 'salt', 300_000, 64, 'sha512').toString('hex')
}

const app = fastify()
// Answers 503 while requests wait for the event loop for more than a second.
app.register(loopwatch.fastify, { maxDelay: 1000 })
app.get('/hash/:password', async (request) => ({ hash: hash(request.params.password) }))
app.listen({ port: Number(process.env.PORT ?? 3000) }).then((address) => console.log(`ask ${address}/hash/secret`))
