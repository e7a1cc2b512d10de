'use strict'

/** @type {import('./index').Library[]} */
exports.operations = [{
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
