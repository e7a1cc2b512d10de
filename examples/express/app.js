'use strict'

// The agent starts first, so it also watches the startup.
require('loopwatch').start({ labels: { service: 'express-example' } })

const express = require('express')

/** Blocks: no other request is served until this loop ends. @param {number} limit */
function countPrimes (limit) {
  let count = 0
  for (let n = 2, divisor; n < limit; n++) {
    for (divisor = 2; n % divisor !== 0; divisor++);
    if (divisor === n) count++
  }
  return count
}

const app = express()
app.get('/primes/:limit', (request, response) => {
  response.json({ primes: countPrimes(Math.min(Number(request.params.limit), 100_000)) })
})
const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`ask http://127.0.0.1:${server.address().port}/primes/30000`)
})
