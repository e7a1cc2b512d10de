'use strict'

const { once } = require('node:events')
const http = require('node:http')
const { Worker } = require('node:worker_threads')

// 'on' asks a blocked worker for its stack; 'auto', the default, sees that it is blocked and not where.
require('loopwatch').start({ threads: 'on', labels: { service: 'worker-threads-example' } })

const worker = new Worker(require.resolve('./resize.js'), { name: 'resize' })

const server = http.createServer(async (request, response) => {
  if (request.url !== '/resize') return response.end('ok\n')
  worker.postMessage({ width: 2000, height: 1500 })
  const [brightness] = await once(worker, 'message')
  response.end(`${brightness}\n`)
})
server.listen(process.env.PORT ?? 3000, () => {
  console.log(`ask http://127.0.0.1:${server.address().port}/resize`)
})
