'use strict'

const { watchModules } = require('../http/frameworks/modules')
const { jobs } = require('./jobs')
const { messages } = require('./messages')
const { Naming } = require('./library-naming')

/** @typedef {{ file: string[], attach: (exports: any, naming: Naming) => void }} Library file: the end of its path */

/** @type {Library[]} */
const operations = [{
  file: ['graphql', 'execution', 'execute.js'],
  attach: (exports, naming) => naming.calls(exports, ['execute'], (_, [{ document, operationName }]) =>
    ({ kind: 'operation', name: operationOf(document, operationName), isPart: true }))
}]

/** Clients may make names up, so they are bounded as labels. @param {any} document @param {unknown} operationName */
function operationOf ({ definitions }, operationName) {
  const isAsked = (/** @type {any} */ { kind, name }) =>
    kind === 'OperationDefinition' && (typeof operationName !== 'string' || name?.value === operationName)
  const { operation, name } = definitions.find(isAsked)
  return `${operation} ${name?.value ?? '(anonymous)'}`
}

/** @param {import('../works').Works} works @param {(message: object) => void} post to the watchdog */
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
