'use strict'

/**
 * For a script of a test that has an `agent`: makes blocks until one has what the test is about. While others have the
 * CPUs, no code is to blame for a block, or its thread has not run and answered. Gives the blocks of the last try.
 */
exports.AGAIN = `
const again = async (make, isRight, tries = 10) => {
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  for (let left = tries; ; left--) {
    const earlier = new Set((await agent.blocks()).map(({ id }) => id))
    const fresh = async () => (await agent.blocks()).filter(({ id, ongoing }) => !ongoing && !earlier.has(id))
    await make()
    for (const end = Date.now() + 3000; Date.now() < end; await wait(50)) {
      await agent.settle()
      const blocks = await fresh()
      if (blocks.some(isRight)) return blocks
    }
    if (left === 1) return fresh()
  }
}`

/**
 * For a script of a test: works for `ms`, and until half of them were spent on a CPU.
 */
exports.HOLD = `
const hold = (ms) => {
  const [end, from] = [Date.now() + ms, process.cpuUsage()]
  while (Date.now() < end || process.cpuUsage(from).user < ms * 500);
}`
