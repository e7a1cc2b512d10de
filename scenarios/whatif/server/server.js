'use strict'

// One application, its function on the event loop or in a pool: server.js <name> <loop|pool> <steps per ms>
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { announce } = require('../../load/target/server')
const { work } = require('../../offload/work')
const { applications, KINDS } = require('./applications')

const [name, where, steps] = process.argv.slice(2)
const stepsPerMs = Number(steps)
const { run, args, answer, aroundMs } = applications[name]

/** @returns {(given: any[]) => any} */
function caller () {
  if (where === 'loop') return (given) => run(...given)
  const { Piscina } = require('piscina')
  const threads = Math.max(1, os.availableParallelism() - 1)
  const pool = new Piscina({ filename: path.join(__dirname, 'pool-task.js'), minThreads: threads, maxThreads: threads })
  return (given) => pool.run({ name, args: given })
}

const call = caller()
const around = () => aroundMs === 0 ? 0 : work(aroundMs * stepsPerMs)

const server = http.createServer(async (request, response) => {
  const [route, kind] = String(request.url).split('?')
  if (route === '/health') return response.end('ok')
  around()
  const result = await call(args(Number(kind) % KINDS, stepsPerMs))
  around()
  response.end(answer(result))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  announce({ url: `http://127.0.0.1:${port}` })
})
