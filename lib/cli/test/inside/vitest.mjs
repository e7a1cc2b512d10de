// A setup file of Vitest. `loopwatch test` loads it, and it reports which test runs. Otherwise, with
// `setupFiles: ['loopwatch/vitest']`, a test that blocks fails.

import { startChecker } from '../reporters/checker.js'
import { published } from './recorder.js'

/** @typedef {{ name: string, type?: string, suite?: Task, file?: { filepath: string } }} Task a test, or a group */

// From our package, `vitest` may not be found, or be another one than the application's.
// @ts-ignore
const { afterAll, afterEach, beforeEach } = globalThis.__vitest_index__ ?? await import('vitest')
const recorder = published()
const log = recorder ?? startChecker()
/** @type {Map<Task, any>} tests may run at the same time */
const running = new Map()

/** @param {Task | undefined} task @returns {string[]} */
const namesOf = (task) => task?.type === undefined ? [] : [...namesOf(task.suite), task.name]

recorder?.watch()
if (log !== null) {
  beforeEach((/** @type {{ task: Task }} */ { task }) => {
    running.set(task, log.begin(namesOf(task).join(' > '), task.file?.filepath))
  })
  afterEach((/** @type {{ task: Task }} */ { task }) => {
    const id = running.get(task)
    running.delete(task)
    return id === undefined ? undefined : log.end(id)
  })
}
// Vitest ends the process of a file with a signal.
if (recorder !== undefined) afterAll(() => recorder.settled())
