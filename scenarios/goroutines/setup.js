'use strict'

const fs = require('node:fs')
const { checkPort } = require('../load/target/port')
const go = require('./go')
const { calibrate, kernels } = require('./kernels')

/**
 * Steps of each kernel for each duration, with the value that every answer must have, and the Go server.
 * @param {import('../harness/interface').PlanInput & { cells: import('../harness/interface').CellPlan[], signal:
 * AbortSignal, say: (line: string) => void }} input
 */
exports.setup = async ({ cells, options, environment, signal, say, mode }) => {
  // One flag for both scenarios with servers.
  const port = options.serverPort ?? 0
  await checkPort(port, '--server-port')
  /** @type {Record<string, Record<string, number>>} */
  const steps = {}
  /** @type {Record<string, number>} */
  const stepsPerMs = {}
  /** @type {Record<string, string>} */
  const bodies = {}
  for (const { params } of cells) {
    if (params.loop !== undefined) bodies[`empty ${params.loop}`] = String(params.loop)
    if (params.kernel === undefined) continue
    const kernel = String(params.kernel)
    stepsPerMs[kernel] ??= calibrate(kernel)
    const count = Math.max(1, Math.round(stepsPerMs[kernel] * Number(params.workMs)))
    steps[kernel] = { ...steps[kernel], [String(params.workMs)]: count }
    bodies[`${kernel} ${count}`] ??= kernels[kernel](count)
  }
  const command = cells.some(({ variant }) => variant.startsWith('go-')) ? go.findGo() : null
  const built = command === null ? null : await go.buildServer(command, signal)
  if (mode === 'faithful') say(`Every request counts to ${Number(cells[0]?.params.loop).toLocaleString('en-US')}; on few cores one of the original's takes minutes.`)
  return {
    steps,
    bodies,
    port,
    cores: environment.cores,
    goServer: built?.file ?? null,
    goDir: built?.dir ?? null,
    tools: built === null ? {} : { go: built.version }
  }
}

/** @param {any} shared */
exports.teardown = async ({ goDir }) => {
  if (goDir) fs.rmSync(goDir, { recursive: true, force: true })
}
