'use strict'

// The server of the scenario cluster-http in each of its topologies, watched by loopwatch.
const { fork } = require('node:child_process')
const { once } = require('node:events')
const { parseArgs } = require('node:util')
const cluster = /** @type {import('node:cluster').Cluster} */ (/** @type {unknown} */ (require('node:cluster')))
const loopwatch = require('../../../lib/index')
const { announce } = require('../../load/target/server')
const { serve } = require('./serve')

const text = /** @type {const} */ ({ type: 'string', default: '' })
const { values } = parseArgs({
  options: { topology: text, workers: text, port: text, database: text, connections: text, steps: text, threads: text }
})
const { topology, database } = values
const [workers, port, connections, steps, threads] = [
  values.workers,
  values.port,
  values.connections,
  values.steps,
  values.threads
].map(Number)
const options = { port, database, connections, steps, threads, reusePort: topology === 'reuse-port' || topology === 'reuse-port-part' }

const agent = loopwatch.start({ port: cluster.isWorker ? false : 0, log: false, threads: 'off', origin: 'off', keep: 1000 })
const agentUrl = async () => (await agent.ready).url

/** Forks workers of node:cluster, and another for each that ends. */
async function leadCluster () {
  cluster.schedulingPolicy = topology === 'cluster-none' ? cluster.SCHED_NONE : cluster.SCHED_RR
  const forked = Array.from({ length: workers }, () => cluster.fork())
  const ports = await Promise.all(forked.map(async (worker) => {
    const [message] = await Promise.race([once(worker, 'message'), once(worker, 'exit').then(([code]) => { throw new Error(`a worker ended (exit code ${code}) before it listened`) })])
    return message.port
  }))
  cluster.on('exit', () => cluster.fork())
  return {
    port: ports[0],
    agents: [await agentUrl()],
    pids: [process.pid, ...forked.map((worker) => worker.process.pid)]
  }
}

/** Processes of their own that share a port in the kernel, each with an agent of its own. */
async function leadProcesses () {
  /** @type {{ port: number, agent: string }[]} */
  const parts = []
  const pids = [process.pid]
  for (let i = 0; i < workers; i++) {
    // The first chooses the port, where it is any.
    const flags = { ...values, topology: 'reuse-port-part', port: parts[0]?.port ?? port }
    const child = fork(__filename, Object.entries(flags).map(([name, value]) => `--${name}=${value}`), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    parts.push(/** @type {any} */ ((await once(child, 'message'))[0]))
    pids.push(/** @type {number} */ (child.pid))
  }
  return { port: parts[0].port, agents: parts.map((part) => part.agent), pids }
}

async function main () {
  if (topology === 'reuse-port-part') {
    process.on('disconnect', () => process.exit())
    process.send?.({ port: await serve(options), agent: await agentUrl() })
  } else if (cluster.isWorker) process.send?.({ port: await serve(options) })
  else {
    const parts = topology.startsWith('cluster')
      ? await leadCluster()
      : topology === 'reuse-port' ? await leadProcesses() : { port: await serve(options), agents: [await agentUrl()], pids: [process.pid] }
    announce({ ...parts, url: `http://127.0.0.1:${parts.port}` })
  }
}

main().catch((error) => {
  process.stderr.write(`${error.message || error.code}\n`)
  process.exit(1)
})
