'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { Discovery } = require('../../../../lib/watchdog/workers/discovery')
const { eventually } = require('../../../support/app')

test('a new thread is left alone at first, then let load at its loop, then interrupted; one that has ended is not touched', async () => {
  /** @type {{ threadIds: number[], isInterrupt: boolean }[]} */
  const installs = []
  const discovery = new Discovery({
    nowMs: () => performance.now(),
    install: (threadIds, isInterrupt) => {
      installs.push({ threadIds, isInterrupt })
      return threadIds.length
    }
  })
  discovery.add(1)
  discovery.add(2)
  discovery.remove(2)
  await eventually(() => installs.length >= 3, 'three tries')
  discovery.remove(1)
  const { length } = installs
  assert.deepEqual(installs.slice(0, 3), [
    { threadIds: [1], isInterrupt: false },
    { threadIds: [1], isInterrupt: true },
    { threadIds: [1], isInterrupt: true }
  ])
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(installs.length, length)
  discovery.stop()
})

test('threads that are no more are not looked for, and those whose turn had not come keep their tries', async () => {
  /** @type {number[][]} */
  const installs = []
  let frozenMs = /** @type {number | null} */ (performance.now())
  const discovery = new Discovery({
    nowMs: () => frozenMs ?? performance.now(),
    install: (threadIds) => {
      installs.push(threadIds)
      return 1
    }
  })
  // Due at one time, however long a busy machine takes for it.
  for (let threadId = 1; threadId <= 20; threadId++) discovery.add(threadId)
  frozenMs = null
  discovery.retain([3, 7, 15])
  await eventually(() => installs.length >= 4, 'four tries')
  discovery.stop()
  assert.deepEqual(installs[0], [3, 7, 15, 16, 17, 18, 19, 20])
})
