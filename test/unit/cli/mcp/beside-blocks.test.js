'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { besideBlocks } = require('../../../../lib/cli/mcp/beside-blocks')
const { SLOW_KINDS } = require('../../../../lib/tables/metrics')

test('metrics of other causes of slowness become sentences, one for each kind', () => {
  const text = [
    ...SLOW_KINDS.map((kind, i) => `loopwatch_slow_incidents_total{kind="${kind}"} ${i}`),
    'loopwatch_waiting{peer="GET api:443"} 0', 'loopwatch_waiting{peer="redis db:6379"} 1', 'loopwatch_waiting{peer="mysql2 pool to db:3306"} 18',
    'loopwatch_threadpool_delay_seconds_sum{kind="thread_pool"} 3', 'loopwatch_threadpool_delay_seconds_count{kind="thread_pool"} 9',
    'loopwatch_threadpool_delay_seconds_sum{kind="dns_lookups"} 1', 'loopwatch_threadpool_delay_seconds_count{kind="dns_lookups"} 1',
    `loopwatch_heap_used_bytes ${192 * 1024 * 1024}`, `loopwatch_heap_limit_bytes ${256 * 1024 * 1024}`
  ].join('\n')
  assert.deepEqual(besideBlocks(text), [
    'Slow without a block: DNS lookups filled their half of the thread pool (1 time), the loop was busy with short turns for ten seconds (2 times), ' +
      'all worker threads of one name were busy for ten seconds (3 times), requests waited for another service or a connection pool (4 times).',
    'Waits now for: mysql2 pool to db:3306 (18 calls), redis db:6379 (1 call).',
    'Work waits for the thread pool for 400 ms on average.',
    'Heap: 192 of 256 MB.'
  ])
})

test('an older agent, and one that has measured nothing, say that they have seen nothing', () => {
  assert.deepEqual(besideBlocks(''), ['Slow without a block: never.'])
})
