'use strict'

// The process of one run of one cell. Its order comes in the environment rather than by message, so
// that a module can begin at the top level, as the programs do that some scenarios reproduce.
const { Context, OracleError } = require('./context')

const ORDER = 'LOOPWATCH_SCENARIO_ORDER'
const order = JSON.parse(process.env[ORDER] ?? '')
// Children of the cell are not cells.
delete process.env[ORDER]

/** @param {object} message */
const tell = (message) => { if (process.connected) process.send?.(message) }
// A harness that was killed must leave nothing behind, nor what the cell has started: it leads a group.
process.on('disconnect', () => {
  if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL')
  process.exit()
})
// A terminal sends Ctrl-C to everyone; the harness ends its cells itself.
process.on('SIGINT', () => {})

/** @returns {any} */
const startAgent = () => require('../../../lib').start({ threshold: order.agent.threshold, port: false, log: false, requests: 'off', origin: 'off', threads: 'off', gc: 'off', keep: 1000 })

async function main () {
  // First, so that loading it does not count as a block of the measurement.
  const { run } = require(order.cell.module)
  const agent = order.agent === null ? null : startAgent()
  const context = new Context(order, agent, tell)
  const { value, extra = {} } = await run(context)
  if (!Number.isFinite(value)) throw new OracleError(`the sample is ${value}, not a number`)
  return { type: 'result', value, extra, ...context.outcome }
}

main().catch((error) => ({
  type: 'failure',
  isOracle: error instanceof OracleError,
  message: error instanceof OracleError ? error.message : `${error?.stack ?? error}`
})).then((message) => {
  // Only then: what was sent must be on its way.
  if (process.connected) process.send?.(message, () => process.exit())
  else process.exit()
})
