'use strict'

const cluster = require('node:cluster')
const http = require('node:http')

// Runs in the primary and in every worker. The primary's endpoint answers for all of them.
const agent = require('loopwatch').start({ labels: { service: 'cluster-example' } })

/** Blocks one worker while the other one keeps serving. @param {number} n @returns {number} */
function fibonacci (n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

if (cluster.isPrimary) {
  agent.ready.then(({ url }) => console.log(`blocks of all workers: ${url}/blocks`))
  for (let i = 0; i < 2; i++) cluster.fork()
} else {
  const server = http.createServer((request, response) => {
    const [, n] = /^\/fibonacci\/(\d+)$/.exec(request.url) ?? [null, '1']
    response.end(`${fibonacci(Math.min(Number(n), 40))}\n`)
  })
  server.listen(process.env.PORT ?? 3000, () => {
    console.log(`ask http://127.0.0.1:${server.address().port}/fibonacci/36`)
  })
}
