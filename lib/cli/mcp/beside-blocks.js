'use strict'

const { parseSamples } = require('../common/parse')
const { counted, duration } = require('../../util/sentence')
const { plain } = require('./text')
const { outOf } = require('../../util/memory-text')
const { MS_PER_S } = require('../../util/units')

/** Peers with most calls, of up to fifty. */
const PEERS = 5

/** @type {Record<string, string>} by the label `kind` */
const KINDS = {
  thread_pool: 'the thread pool was full',
  dns_lookups: 'DNS lookups filled their half of the thread pool',
  busy_loop: 'the loop was busy with short turns for ten seconds',
  worker_threads: 'all worker threads of one name were busy for ten seconds',
  waiting: 'requests waited for another service or a connection pool'
}

/** Other slowness since the process started, as sentences. @param {string} text its metrics @returns {string[]} */
exports.besideBlocks = (text) => {
  const samples = parseSamples(text)
  const all = (/** @type {string} */ name) => samples.filter((sample) => sample.name === `loopwatch_${name}`)
  const slow = all('slow_incidents_total').filter(({ value }) => value > 0)
    .map(({ labels: { kind }, value }) => `${KINDS[kind] ?? kind} (${counted(value, 'time')})`)
  const seconds = all('threadpool_delay_seconds_sum').reduce((sum, { value }) => sum + value, 0)
  const count = all('threadpool_delay_seconds_count').reduce((sum, { value }) => sum + value, 0)
  const waiting = all('waiting').filter(({ value }) => value > 0).sort((a, b) => b.value - a.value).slice(0, PEERS)
    .map(({ labels: { peer }, value }) => `${plain(peer)} (${counted(value, 'call')})`)
  const [[used], [limit]] = ['heap_used_bytes', 'heap_limit_bytes'].map(all)
  return [
    `Slow without a block: ${slow.join(', ') || 'never'}.`,
    ...(waiting.length === 0 ? [] : [`Waits now for: ${waiting.join(', ')}.`]),
    ...(count === 0 ? [] : [`Work waits for the thread pool for ${duration(seconds / count * MS_PER_S)} on average.`]),
    ...(used === undefined || !limit?.value ? [] : [`Heap: ${outOf(used.value, limit.value)}.`])
  ]
}
