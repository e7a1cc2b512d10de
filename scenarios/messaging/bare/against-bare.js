'use strict'

// node scenarios/messaging/bare/against-bare.js [--pairs 5] [--seconds 2] Whether the harness slows what it measures:
// each cell of the original and the bare protocol, in turn.
const { execFile } = require('node:child_process')
const path = require('node:path')
const { parseArgs, promisify } = require('node:util')
const { runCell } = require('../../harness/run/cell-process')
const { median } = require('../../harness/measure/stats')
const { scenario } = require('../scenario')
const { faithfulCells } = require('../original')

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } } })
const [pairs, seconds] = [Number(values.pairs), Number(values.seconds)]
const cells = faithfulCells(path.join(__dirname, '..', 'ping-pong.js')).filter(({ params }) => params.run === '10s')

/** @param {import('../../harness/interface').CellPlan} cell */
async function harnessed (cell) {
  const outcome = await runCell({ cell, mode: 'faithful', seconds, warmUpSeconds: 0, agent: scenario.agent, shared: {} }, () => {}, new AbortController().signal)
  if ('failure' in outcome) throw new Error(outcome.failure)
  return outcome.result.value
}

/** @param {import('../../harness/interface').CellPlan} cell */
async function bare ({ variant, params }) {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(__dirname, 'bare.js'), variant, String(params.payload), String(seconds)])
  return Number(stdout) / seconds
}

async function main () {
  console.log(`Node ${process.version}, ${pairs} pairs of ${seconds} s; messages/s in the harness / bare`)
  for (const cell of cells) {
    const ratios = []
    const rates = []
    for (let i = 0; i < pairs; i++) {
      // The second finds the machine as the first has left it.
      const [first, second] = i % 2 === 0 ? [bare, harnessed] : [harnessed, bare]
      const figures = [await first(cell), await second(cell)]
      const [without, within] = i % 2 === 0 ? figures : figures.reverse()
      ratios.push(within / without)
      rates.push(without)
    }
    console.log(`${cell.variant.padEnd(13)} ${String(cell.params.payload).padEnd(10)} bare ${Math.round(median(rates)).toString().padStart(7)}/s   ratio ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`)
  }
}

main()
