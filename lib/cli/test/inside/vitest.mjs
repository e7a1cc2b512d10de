// A setup file of Vitest: `setupFiles: ['loopwatch/vitest']`. Without `loopwatch test` it does nothing.

// @ts-ignore The application's own Vitest.
import { afterEach, beforeEach } from 'vitest'
import { published } from './recorder.js'

/**
 * @typedef {{ name: string, type?: string, suite?: Task, file?: { filepath: string } }} Task a test, or a block of them
 */

const recorder = published()
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
