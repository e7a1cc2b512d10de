'use strict'

const loopwatch = require('loopwatch').start({ labels: { service: 'fastify-example' } })

const { pbkdf2Sync } = require('node:crypto')
const fastify = require('fastify')

/** Blocks until the hash is done. `pbkdf2` with a callback does not. @param {string} password */
function hash (password) {
  return pbkdf2Sync(password, 'salt', 300_000, 64, 'sha512').toString('hex')
}

const app = fastify()
// Answers 503 while requests wait more than a second for the event loop.
app.register(loopwatch.fastify, { maxDelay: 1000 })
app.get('/hash/:password', async (request) => ({ hash: hash(request.params.password) }))
app.listen({ port: Number(process.env.PORT ?? 3000) }).then((address) => console.log(`ask ${address}/hash/secret`))
