'use strict'

const fs = require('node:fs')
const net = require('node:net')
const go = require('./go')
const { calibrate, kernels } = require('./kernels')

/** Throws where a port is somebody else's. @param {number} port */
const checkPort = (port) => new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
  const server = net.createServer().once('error', (/** @type {NodeJS.ErrnoException} */ error) => reject(new Error(
    error.code === 'EADDRINUSE' ? `port ${port} is taken: end what listens there or give another --server-port` : `port ${port} cannot be listened on: ${error.message}`, { cause: error })))
  server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
})

/**
 * Steps of each kernel for each duration, with the value that every answer must have, and the Go server.
 * @param {import('../harness/interface').PlanInput & { cells: import('../harness/interface').CellPlan[], signal: AbortSignal, say: (line: string) => void }} input
 */
exports.setup = async ({ cells, options, environment, signal, say, mode }) => {
  const port = options.serverPort ?? 0
  if (port !== 0) await checkPort(port)
  /** @type {Record<string, Record<string, number>>} */
  const steps = {}
  /** @type {Record<string, string>} */
  const bodies = {}
  for (const { params } of cells) {
    if (params.loop !== undefined) bodies[`empty ${params.loop}`] = String(params.loop)
    if (params.kernel === undefined) continue
    const kernel = String(params.kernel)
    const perMs = steps[kernel]?.['1'] ?? calibrate(kernel)
    steps[kernel] ??= { 1: perMs }
    const count = Math.max(1, Math.round(perMs * Number(params.workMs)))
    steps[kernel][String(params.workMs)] = params.workMs === 1 ? perMs : count
    bodies[`${kernel} ${count}`] ??= kernels[kernel](count)
  }
  for (const kernel of Object.keys(steps)) steps[kernel] = Object.fromEntries(Object.entries(steps[kernel]).map(([workMs, count]) => [workMs, Math.max(1, Math.round(count))]))
  const command = cells.some(({ variant }) => variant.startsWith('go-')) ? go.findGo() : null
  const built = command === null ? null : await go.buildServer(command, signal)
  if (mode === 'faithful') say(`Every request counts to ${Number(cells[0]?.params.loop).toLocaleString('en-US')}; on few cores one of the original's takes minutes.`)
  return { steps, bodies, port, cores: environment.cores, goServer: built?.file ?? null, goDir: built?.dir ?? null, tools: built === null ? {} : { go: built.version } }
}

/** @param {any} shared */
exports.teardown = async ({ goDir }) => {
  if (goDir) fs.rmSync(goDir, { recursive: true, force: true })
}
exports.checkPort = checkPort
