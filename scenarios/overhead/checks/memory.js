'use strict'

// Whether memory stays flat: node scenarios/overhead/checks/memory.js [blocks] [captures]
// Many short blocks at the lowest threshold, then longer ones sampled every millisecond. The
// process's resident memory is printed ten times in each part.
const blocks = Number(process.argv[2] ?? 100000)
const captures = Number(process.argv[3] ?? 20000)

const MB = 1024 * 1024
const agent = require('../../../lib').start({ port: 0, log: false, threshold: 2 })

/** @param {number} ms */
function hold (ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** @param {string} what */
const print = (what) => console.log(`${what.padStart(24)}  RSS ${(process.memoryUsage.rss() / MB).toFixed(1)} MB`)

async function main () {
  await agent.ready
  const seen = { blocks: 0, samples: 0 }
  agent.on('block', (/** @type {any} */ record) => {
    seen.blocks++
    seen.samples += record.samples
  })
  for (let i = 1; i <= blocks; i++) {
    hold(3)
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (i % (blocks / 10) === 0) print(`${seen.blocks} blocks`)
  }
  const metrics = await agent.metrics()
  const counted = [...metrics.matchAll(/^loopwatch_block_duration_seconds_count\S* (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
  console.log(`${blocks} blocks made, ${counted} counted`)
  seen.samples = 0
  let next = captures / 10
  while (seen.samples < captures) {
    hold(100)
    await new Promise((resolve) => setTimeout(resolve, 20))
    if (seen.samples < next) continue
    next += captures / 10
    print(`${seen.samples} captures`)
  }
  await agent.stop()
}

main()
