'use strict'

const { NodeSDK, tracing } = require('@opentelemetry/sdk-node')

// A real application exports to a collector.
new NodeSDK({ serviceName: 'opentelemetry-example', traceExporter: new tracing.InMemorySpanExporter() }).start()

require('loopwatch').start({ labels: { service: 'opentelemetry-example' } })

const { setTimeout: sleep } = require('node:timers/promises')
const { trace } = require('@opentelemetry/api')

const EVERY_MS = 1000
const tracer = trace.getTracer('example')

/** @param {number} items */
function priceOrder (items) {
  let total = 0
  // Blocks: computes the tax of every item from every other item.
  for (let i = 0; i < items ** 2; i++) total += Math.sqrt(i % items)
  return total
}

async function processOrder () {
  await tracer.startActiveSpan('process order', async (span) => {
    await sleep(1)
    priceOrder(6000)
    span.end()
  })
}

setInterval(processOrder, EVERY_MS)
console.log('prices an order every second: see the log')
