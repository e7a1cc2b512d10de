'use strict'

require('loopwatch').start({ labels: { service: 'bullmq-example' } })

const { Queue, Worker } = require('bullmq')

const EVERY_MS = 1000
const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT ?? 6379), maxRetriesPerRequest: null }

/** @param {{ rows: number }} data */
function renderInvoice ({ rows }) {
  let total = 0
  // Blocks: computes the discount of every row from every other row.
  for (let i = 0; i < rows ** 2; i++) total += Math.sqrt(i % rows)
  return total
}

const worker = new Worker('invoices', async (job) => renderInvoice(job.data), { connection })
worker.on('error', (error) => console.error(error.message))
const queue = new Queue('invoices', { connection })
setInterval(() => queue.add('render', { rows: 6000 }, { removeOnComplete: true }), EVERY_MS)
console.log('adds a job every second: see the log')
