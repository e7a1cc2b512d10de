'use strict'

const fs = require('node:fs')
const test = require('node:test')
const assert = require('node:assert/strict')
const { processorOf } = require('../../../../lib/watchdog/kernel/thread-stats')
const { MachineSteal, Steal, stolenOf } = require('../../../../lib/watchdog/kernel/steal')

/** Of a machine with eleven CPUs; the eighth number is stolen time in hundredths of a second. */
const STAT = [
  'cpu  5578840 133518 938854 7302877 13196 0 298546 141099 0 0',
  ...Array.from({ length: 11 }, (_, i) => `cpu${i} 3001067 65524 420500 3496778 1929 0 171711 ${100 + i} 7 0`),
  'intr 1 2 3', 'ctxt 123'
].join('\n')

test('stolen time is read for one CPU, and is null where there is no such CPU or kernel', () => {
  assert.equal(stolenOf(STAT, 1), 1010)
  assert.equal(stolenOf(STAT, 10), 1100)
  assert.equal(stolenOf(STAT, 11), null)
  assert.equal(stolenOf('cpu0 1 2 3 4', 0), null, 'before Linux 2.6.11')
  assert.equal(processorOf('4242 (a (b) c) R 1' + ' 0'.repeat(34) + ' 5 0 0'), 5)
})

test('what is stolen from a CPU counts for a thread while it stays there', () => {
  /** @type {(number | null)[][]} its CPU, and what has been stolen of CPUs 0 and 1 */
  const story = [
    [0, 100, 500],
    [0, 130, 500],
    [1, 190, 560],
    [1, 190, 570],
    [null, 190, 570],
    [1, 190, 580],
    [1, 200, 600]
  ]
  let [at] = story
  const steal = new Steal({ of: (cpu) => at[cpu + 1] })
  assert.deepEqual(story.map((moment, i) => {
    at = moment
    return steal.read(i, at[0])
  }), [0, 30, 30, 40, null, 40, 60])
})

test('this machine is read as the kernel tells it, and is left alone for a multiple of what a reading took', { skip: process.platform !== 'linux' && 'Linux only' }, () => {
  const machine = new MachineSteal()
  const before = stolenOf(fs.readFileSync('/proc/stat', 'utf8'), 0)
  const read = machine.of(0, 1000)
  const after = stolenOf(fs.readFileSync('/proc/stat', 'utf8'), 0)
  assert.ok(before !== null && read !== null && after !== null && before <= read && read <= after, `${before} ${read} ${after}`)
  machine.close()
  assert.equal(machine.of(0, 1000), read, 'not read again: it could not be')
  assert.equal(machine.of(0, 1e9), null)
})
