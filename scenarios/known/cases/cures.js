'use strict'

const ROWS = 20_000

/** @param {number} count */
const makeRows = (count) => Array.from({ length: count }, (_, i) => ({ id: i, name: `item ${i}`, tags: ['a', 'b'] }))

/** @type {import('../run').Case[]} */
exports.cases = [
  {
    package: 'node-cache',
    id: 'node-cache#271',
    pairs: [['5.1.2', '5.1.2']],
    prepare: (NodeCache, { isCured }) => {
      const cache = new NodeCache({ useClones: !isCured })
      cache.set('rows', makeRows(ROWS))
      return () => cache.get('rows')
    }
  },
  {
    package: 'jsdom',
    id: 'twenty#25004',
    pairs: [['26.1.0', '26.1.0'], ['20.0.0', '20.0.0']],
    prepare: ({ JSDOM }, { isCured }) => {
      const { window } = new JSDOM('')
      const parse = (/** @type {string} */ html) => isCured
        ? new window.DOMParser().parseFromString(html, 'text/html')
        : new JSDOM(html).window.document
      return () => makeRows(60).map(({ name }) => parse(`<p>${name}</p>`).body.textContent)
    }
  }
]
