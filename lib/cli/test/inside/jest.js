'use strict'

const Module = require('node:module')

/** @import { Recorder } from './recorder' */

/** This package loads test environments, whatever their names: its path is the only sign of a load. */
const LOADER = /[\\/]jest-util[\\/]/

const TRANSFORM = '@jest/transform'

/**
 * @typedef {{ name: string, parent?: JestNode }} JestNode a test or a group; the outermost is Jest's, without parent
 * @typedef {{ name: string, test?: JestNode }} JestEvent
 * @typedef {new (config: unknown, context?: { testPath?: string }, ...rest: unknown[]) => {
 *   global: unknown, handleTestEvent (event: JestEvent, state: unknown): unknown
 * }} Environment its handleTestEvent may be missing
 */

/** @param {JestNode | undefined} node @returns {string[]} */
const namesOf = (node) => node?.parent === undefined ? [] : [...namesOf(node.parent), node.name]

/** @param {Environment} Given @param {Recorder} recorder @returns {Environment} */
function following (Given, recorder) {
  return class extends Given {
    /** @type {Map<unknown, number>} */
    #running = new Map()
    #file

    /** @param {unknown} config @param {{ testPath?: string }} [context] @param {unknown[]} rest */
    constructor (config, context, ...rest) {
      super(config, context, ...rest)
      this.#file = context?.testPath
      recorder.watchGlobal(this.global)
    }

    /** @param {JestEvent} event @param {unknown} state @returns {unknown} */
    handleTestEvent (event, state) {
      if (event.name === 'test_start') {
        this.#running.set(event.test, recorder.begin(namesOf(event.test).join(' > '), this.#file))
      }
      const id = event.name === 'test_done' ? this.#running.get(event.test) : undefined
      if (id !== undefined) recorder.end(id)
      return super.handleTestEvent?.(event, state)
    }
  }
}

/**
 * Jest's transformer also reports each file's source map: the lines that run are not the file's.
 * @param {any} exported @param {Recorder} recorder
 */
const telling = (exported, recorder) => new Proxy(exported, {
  get: (target, name) => name !== 'createScriptTransformer'
    ? target[name]
    : async (/** @type {unknown[]} */ ...args) => {
      const transformer = await target.createScriptTransformer(...args)
      const noteMap = (/** @type {string} */ file, /** @type {any} */ result) => {
        if (result?.sourceMapPath) recorder.map(file, result.sourceMapPath)
        return result
      }
      const { transform, transformAsync } = transformer
      transformer.transform = (/** @type {[string]} */ ...args) => noteMap(args[0], transform.apply(transformer, args))
      transformer.transformAsync = async (/** @type {[string]} */ ...args) =>
        noteMap(args[0], await transformAsync.apply(transformer, args))
      return transformer
    }
})

/** @param {any} exported by a module */
const isEnvironment = (exported) => typeof exported === 'function' &&
  ['setup', 'teardown', 'getVmContext'].every((name) => typeof exported.prototype?.[name] === 'function')

/** In one process (--runInBand) or in forked ones. @param {Recorder} recorder */
exports.follow = (recorder) => {
  const loader =
    /** @type {{ _load: (request: string, parent?: { filename?: string }, ...rest: unknown[]) => any }} */ (
      /** @type {unknown} */ (Module)
    )
  const load = loader._load
  loader._load = function (request, parent, ...rest) {
    const exported = load.call(this, request, parent, ...rest)
    if (request === TRANSFORM) return telling(exported, recorder)
    if (!LOADER.test(parent?.filename ?? '')) return exported
    const environment = exported?.__esModule ? exported.default : exported
    return isEnvironment(environment) ? { __esModule: true, default: following(environment, recorder) } : exported
  }
}
