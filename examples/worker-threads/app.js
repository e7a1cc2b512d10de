'use strict'

const { once } = require('node:events')
const http = require('node:http')
const { Worker } = require('node:worker_threads')

require('loopwatch').start({ labels: { service: 'worker-threads-example' } })

const worker = new Worker(require.resolve('./resize.js'), { name: 'resize' })

const server = http.createServer(async (request, response) => {
  if (request.url !== '/resize') return response.end('ok\n')
  worker.postMessage({ width: 4000, height: 3000 })
  const [brightness] = await once(worker, 'message')
  response.end(`${brightness}\n`)
})
server.listen(process.env.PORT ?? 3000, () => {
  console.log(`ask http://127.0.0.1:${server.address().port}/resize`)
})
