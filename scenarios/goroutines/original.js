'use strict'

const { figure } = require('../harness/report/format')
const { ORIGINAL, ORIGINAL_LOOP } = require('./plan')

/**
 * Output of the original on 8 cores with 16 threads: medians of its three runs; its max cpu is in percent, its max
 * mem in percent of 32 GB.
 */
const published = [
  { variant: 'node-worker-kept-original', name: 'Node', toggle: false, iterations: 40, p95: 8.49, min: 8.25, max: 8.6, cpu: 1002, memory: '0.5, 0.9, 1.4' },
  { variant: 'node-worker-per-request-original', name: 'Node, workers terminated', toggle: false },
  { variant: 'go-goroutines-original', name: 'Go', toggle: false, iterations: 90, p95: 3.54, min: 3.11, max: 3.61, cpu: 1005, memory: '0.0' },
  { variant: 'node-worker-kept-original', name: 'Node', toggle: true, iterations: 40, p95: 8.49, min: 8.25, max: 8.55, cpu: 1005, memory: '0.6, 1.0, 1.4' },
  { variant: 'node-worker-per-request-original', name: 'Node, workers terminated', toggle: true },
  { variant: 'go-goroutines-original', name: 'Go', toggle: true, iterations: 91, p95: 3.51, min: 2.3, max: 3.61, cpu: 1004, memory: '0.0' }
]
const MS_PER_S = 1000
const MIB = 1024 * 1024

/** @param {import('../harness/interface').Document} document */
exports.compare = ({ cells, environment, seconds }) => [false, true].map((toggle) => {
  const rows = published.filter((row) => row.toggle === toggle)
  const known = cells.filter((cell) => cell.params.toggle === toggle && cell.median !== null)
  const rate = (/** @type {string} */ variant) => known.find((cell) => cell.variant === variant)?.median ?? null
  const [ourNode, ourGo] = [rate('node-worker-kept-original'), rate('go-goroutines-original')]
  const loop = Number(cells[0]?.params.loop ?? ORIGINAL_LOOP)
  return {
    title: `Experiment ${toggle ? 'two: the loop and a toggle' : 'one: the loop'}. Medians of the original and ours`,
    head: ['', 'iterations', 'ours', 'p95 s', 'ours', 'min s', 'ours', 'max s', 'ours', 'max cpu %', 'ours', 'max mem %', 'ours'],
    rows: rows.map(({ variant, name, iterations, p95, min, max, cpu, memory }) => {
      const cell = known.find((each) => each.variant === variant)
      const ms = (/** @type {string} */ key) => cell === undefined ? '' : figure(cell.extra[key].median / MS_PER_S)
      return [
        name, figure(iterations), figure(cell?.median), figure(p95), ms('p95Ms'), figure(min), ms('minMs'), figure(max), ms('maxMs'),
        figure(cpu), figure(cell?.extra.serverCpuPeakPercent.median), memory ?? '', cell === undefined ? '' : figure(cell.extra.serverPeakMiB.max * MIB / environment.memoryBytes * 100)
      ]
    }),
    notes: [
      `Iterations of Go divided by those of Node.js: ${(toggle ? 91 / 40 : 90 / 40).toFixed(2)} in the original${ourNode === null || ourGo === null ? '' : `, ${(ourGo / ourNode).toFixed(2)} here`}.`,
      `${ORIGINAL.users} users on ${environment.cores} cores instead of 16; each request counts to ${loop.toLocaleString('en-US')}${loop === ORIGINAL_LOOP ? '' : ` instead of ${ORIGINAL_LOOP.toLocaleString('en-US')}, so only ratios compare`}.`,
      ...(seconds !== null && seconds !== ORIGINAL.seconds ? [`Ours were measured over ${seconds} s and scaled to ${ORIGINAL.seconds} s.`] : []),
      'Each run has a new server on a free port instead of 8080, so leaks grow within a run only.'
    ]
  }
})
