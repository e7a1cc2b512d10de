'use strict'

const merges = (/** @type {number} */ count) => ['m0: &m0 { k0: v }',
  ...Array.from({ length: count }, (_, i) => `m${i + 1}: &m${i + 1} { <<: *m${i}, k${i + 1}: v }`)].join('\n')

/** @type {import('../run').Case[]} */
exports.cases = [
  {
    package: 'js-yaml',
    id: 'CVE-2026-59869',
    pairs: [['4.2.0', '4.3.0'], ['3.14.2', '3.15.0']],
    prepare: (yaml) => () => yaml.load(merges(1800))
  },
  {
    package: 'fast-xml-parser',
    id: 'CVE-2026-26278',
    pairs: [['5.3.5', '5.3.6'], ['4.5.3', '4.5.4']],
    prepare: ({ XMLParser }) => () => new XMLParser().parse(
      `<!DOCTYPE a [<!ENTITY x "${'A'.repeat(20000)}">]><a>${'&x;'.repeat(20000)}</a>`)
  },
  {
    package: 'csv-parse',
    id: 'CVE-2019-17592',
    pairs: [['4.4.5', '4.4.6']],
    prepare: (parse) => () => parse(`${'1'.repeat(20000)}x,`, { cast: true }, () => {})
  },
  {
    package: 'papaparse',
    id: 'CVE-2020-36649',
    pairs: [['5.1.1', '5.2.0']],
    prepare: (Papa) => () => Papa.parse(`${'1'.repeat(4000)}x,2\n`, { dynamicTyping: true })
  },
  {
    package: 'jsonata',
    id: 'CVE-2026-52746',
    pairs: [['2.1.1', '2.2.0'], ['1.8.8', '1.8.9']],
    prepare: (jsonata) => () => jsonata(`$toMillis("2026${'-11'.repeat(20000)}x")`).evaluate({})
  }
]
