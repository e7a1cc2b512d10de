'use strict'

const Module = require('node:module')

/** @import { Recorder, TestLog } from './recorder' */

/** Path of the package that loads test environments, whatever their names. */
const LOADER = /[\\/]jest-util[\\/]/

const TRANSFORM = '@jest/transform'

/**
 * @typedef {{ name: string, parent?: JestNode }} JestNode a test or a group; the outermost is Jest's, without parent
 * @typedef {{ name: string, test?: JestNode & { errors: unknown[] } }} JestEvent
 * @typedef {new (config: any, context: any, ...rest: any[]) => {
 *   global?: unknown, handleTestEvent? (event: any, state: any): any }} Environment
 */

/** @param {JestNode | undefined} node @returns {string[]} */
const namesOf = (node) => node?.parent === undefined ? [] : [...namesOf(node.parent), node.name]

/**
 * An environment that follows its tests. A test that the log rejects fails.
 * @param {Environment} Base @param {TestLog} log
 */
exports.around = (Base, log) => class extends Base {
  /** @type {Map<unknown, any>} */
  #running = new Map()
  #file

  /** @param {any} config @param {any} context @param {any[]} rest */
  constructor (config, context, ...rest) {
    super(config, context, ...rest)
    this.#file = context?.testPath
    log.watchGlobal?.(this.global)
  }

  /** @param {JestEvent} event @param {unknown} state */
  handleTestEvent (event, state) {
    const { name, test } = event
    if (name === 'test_start') this.#running.set(test, log.begin(namesOf(test).join(' > '), this.#file))
    const goOn = () => super.handleTestEvent?.(event, state)
    if (name !== 'test_done' || !this.#running.has(test)) return goOn()
    const verdict = log.end(this.#running.get(test))
    this.#running.delete(test)
    if (verdict === undefined) return goOn()
    return verdict.catch((error) => { test?.errors.push([error, error]) }).then(goOn)
  }
}

/**
 * The transformer reports each file's source map, too: the lines that run are not the file's.
 * @param {any} transform Jest's module @param {Recorder} recorder
 */
const withSourceMaps = (transform, recorder) => new Proxy(transform, {
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
    if (request === TRANSFORM) return withSourceMaps(exported, recorder)
    if (!LOADER.test(parent?.filename ?? '')) return exported
    const environment = exported?.__esModule ? exported.default : exported
    return isEnvironment(environment) ? { __esModule: true, default: exports.around(environment, recorder) } : exported
  }
}
