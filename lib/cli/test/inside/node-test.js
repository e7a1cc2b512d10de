'use strict'

const { AsyncResource } = require('node:async_hooks')
const { isPromise } = require('node:util').types
const process = require('../../../util/process')

/** @import { Recorder, TestLog } from './recorder' */

/** @typedef {{ name?: string, fullName?: string, filePath?: string }} Context older versions have fewer fields */

/** Hooks of node:test. A test that the log rejects fails. @param {TestLog} log */
exports.follow = (log) => {
  const { beforeEach, afterEach } = require('node:test')
  /** @type {Map<unknown, any>} by name: the hooks before and after a test receive different objects */
  const running = new Map()
  const keyOf = (/** @type {Context} */ context) => context?.fullName ?? context?.name
  beforeEach((context) => {
    const { name = '', fullName = name, filePath } = /** @type {Context} */ (context ?? {})
    running.set(keyOf(/** @type {Context} */ (context)), log.begin(fullName, filePath ?? process.argv[1]))
  })
  afterEach((context) => {
    const key = keyOf(/** @type {Context} */ (context))
    const id = running.get(key)
    running.delete(key)
    return id === undefined ? undefined : log.end(id)
  })
}

/** @typedef {{ name: string, nesting: number, parent: Task | null, loc?: { file?: string } }} Task a test or a group */

/** Outermost first, without the root. @param {Task} task @returns {string[]} */
const namesOf = ({ name, parent }) => parent === null ? [] : [...namesOf(parent), name]

/** @param {any} resource */
const isTest = ({ constructor, nesting, parent }) =>
  constructor?.name === 'Test' && typeof nesting === 'number' && parent

/**
 * For `node file.test.js`, and `node --test` without isolation. A hook makes node:test print a summary, even in a
 * process without tests. But node:test calls a test's function in the scope of an asynchronous resource: the test.
 * @param {Recorder} recorder
 */
exports.followDirect = (recorder) => {
  const { prototype } = AsyncResource
  const run = prototype.runInAsyncScope
  /** @this {any} @param {any} fn @param {any} [self] @param {any[]} args @returns {any} */
  prototype.runInAsyncScope = function runInAsyncScope (fn, self, ...args) {
    if (!isTest(this)) return run.call(this, fn, self, ...args)
    const id = recorder.begin(namesOf(this).join(' > '), this.loc?.file ?? process.argv[1])
    const end = () => recorder.end(id)
    const [context, done] = args
    if (typeof done === 'function') {
      return run.call(this, fn, self, context, (/** @type {unknown[]} */ ...results) => {
        end()
        return done(...results)
      })
    }
    let result
    try {
      result = run.call(this, fn, self, ...args)
      return result
    } finally {
      if (isPromise(result)) result.then(end, end)
      else end()
    }
  }
}
