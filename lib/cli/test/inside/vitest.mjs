// A setup file of Vitest: `setupFiles: ['loopwatch/vitest']`. Under `loopwatch test` it tells which test runs.
// Otherwise a test that blocks fails.

// @ts-ignore The application's own Vitest.
import { afterEach, beforeEach } from 'vitest'
import { startChecker } from '../reporters/checker.js'
import { published } from './recorder.js'

/**
 * @typedef {{ name: string, type?: string, suite?: Task, file?: { filepath: string } }} Task a test, or a block of them
 */

const recorder = published()
const checker = startChecker()
/** @type {Map<Task, number>} tests may run at once */
const running = new Map()

/** @param {Task | undefined} task @returns {string[]} */
const namesOf = (task) => task === undefined || task.type === undefined ? [] : [...namesOf(task.suite), task.name]

if (recorder !== undefined) {
  beforeEach(async (/** @type {{ task: Task }} */ { task }) => {
    await recorder.ready()
    await recorder.turn()
    running.set(task, recorder.begin(namesOf(task).join(' > '), task.file?.filepath))
  })
  afterEach((/** @type {{ task: Task }} */ { task }) => {
    const id = running.get(task)
    running.delete(task)
    if (id !== undefined) recorder.end(id)
  })
}

if (checker !== null) {
  beforeEach(async (/** @type {{ task: Task }} */ { task }) => { running.set(task, await checker.begin()) })
  afterEach(async (/** @type {{ task: Task }} */ { task }) => {
    const startMs = running.get(task)
    running.delete(task)
    if (startMs !== undefined) await checker.check(startMs, namesOf(task).join(' > '), task.file?.filepath)
  })
}
