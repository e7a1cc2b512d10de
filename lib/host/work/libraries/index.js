'use strict'

const { watchModules } = require('../http/frameworks/modules')
const { jobs } = require('./jobs')
const { messages } = require('./messages')
const { Naming } = require('./library-naming')

/**
 * @typedef {object} Library a file of one, and what is done with its exports
 * @property {string[]} file the end of its name
 * @property {(exports: any, naming: Naming) => void} attach
 */

/** @type {Library[]} */
const operations = [{
  file: ['graphql', 'execution', 'execute.js'],
  attach: (exports, naming) => naming.calls(exports, ['execute'], (_, [{ document, operationName }]) =>
    ({ kind: 'operation', name: operationOf(document, operationName), isPart: true }))
}]

/**
 * The operation of a document by its kind and name. Clients may make names up: they are bounded as labels.
 * @param {any} document
 * @param {unknown} operationName
 */
function operationOf ({ definitions }, operationName) {
  const isAsked = (/** @type {any} */ { kind, name }) =>
    kind === 'OperationDefinition' && (typeof operationName !== 'string' || name?.value === operationName)
  const { operation, name } = definitions.find(isAsked)
  return `${operation} ${name?.value ?? '(anonymous)'}`
}

/**
 * Names the work of libraries that the application has loaded, or will load.
 * @param {import('../works').Works} works
 * @param {(message: object) => void} post to the watchdog
 * @returns {{ stop: () => void }}
 */
exports.startLibraries = (works, post) => {
  const naming = new Naming(works, post)
  const modules = watchModules([...jobs, ...messages, ...operations].map(({ file, attach }) => ({
    file,
    onFound: (/** @type {any} */ exports) => attach(exports, naming)
  })))
  return {
    stop: () => {
      modules.stop()
      naming.stop()
    }
  }
}
