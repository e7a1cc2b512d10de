'use strict'

/** @type {import('../run').Case[]} */
exports.cases = [
  {
    package: 'moment',
    id: 'CVE-2022-31129',
    pairs: [['2.29.3', '2.29.4']],
    prepare: (moment) => () => moment('('.repeat(12000), moment.RFC_2822)
  },
  {
    package: 'luxon',
    id: 'CVE-2023-22467',
    pairs: [['3.2.0', '3.2.1'], ['2.5.1', '2.5.2'], ['1.28.0', '1.28.1']],
    prepare: ({ DateTime }) => () => DateTime.fromRFC2822('('.repeat(20000))
  },
  {
    package: 'ua-parser-js',
    id: 'CVE-2022-25927',
    pairs: [['1.0.32', '1.0.33'], ['0.7.32', '0.7.33']],
    prepare: (Parser) => () => new Parser(`a${' '.repeat(16000)}a`).getResult()
  },
  {
    package: 'validator',
    id: 'CVE-2021-3765',
    pairs: [['13.6.0', '13.7.0']],
    prepare: (validator) => () => validator.rtrim(`${' '.repeat(12000)}x`)
  },
  {
    package: 'lodash',
    id: 'CVE-2020-28500',
    pairs: [['4.17.20', '4.17.21']],
    prepare: (lodash) => () => lodash.trimEnd(`a${' '.repeat(12000)}a`)
  },
  {
    package: 'trim-newlines',
    id: 'CVE-2021-33623',
    pairs: [['4.0.0', '4.0.1'], ['3.0.0', '3.0.1']],
    prepare: (trimNewlines) => () => trimNewlines.end(`a${'\n'.repeat(12000)}a`)
  },
  {
    package: 'postcss',
    id: 'CVE-2021-23382',
    pairs: [['8.2.12', '8.2.13'], ['7.0.35', '7.0.36']],
    prepare: (postcss) => () => postcss.parse(`a{}${'/*# sourceMappingURL='.repeat(2000)}`)
  },
  {
    package: 'nth-check',
    id: 'CVE-2021-3803',
    pairs: [['2.0.0', '2.0.1']],
    prepare: (names) => () => names.parse(`2n${' '.repeat(12000)}!`)
  },
  {
    package: 'glob-parent',
    id: 'CVE-2020-28469',
    pairs: [['5.1.1', '5.1.2']],
    prepare: (globParent) => () => globParent(`{${'/'.repeat(600)}`)
  },
  {
    package: 'normalize-url',
    id: 'CVE-2021-33502',
    pairs: [['6.0.0', '6.0.1'], ['5.3.0', '5.3.1'], ['4.5.0', '4.5.1']],
    prepare: (normalize) => () => normalize(`data:${','.repeat(12000)}#\n#`)
  },
  {
    package: 'brace-expansion',
    id: 'CVE-2026-13149',
    pairs: [['5.0.6', '5.0.7'], ['2.1.1', '2.1.2']],
    prepare: (expand) => () => (expand.expand ?? expand)(`a${'{},'.repeat(20)}`.slice(0, -1))
  },
  {
    package: 'brace-expansion',
    id: 'CVE-2026-13149 or CVE-2026-33750',
    pairs: [['2.0.2', '2.1.2'], ['5.0.4', '5.0.7']],
    prepare: (expand) => () => (expand.expand ?? expand)('{1..2..0}')
  },
  {
    package: 'brace-expansion',
    id: 'CVE-2026-33750',
    pairs: [['1.1.12', '1.1.13']],
    prepare: (expand) => () => expand('{1..2..0}')
  },
  {
    package: 'micromatch',
    id: 'CVE-2024-4067',
    pairs: [['4.0.7', '4.0.8']],
    prepare: (micromatch) => () => micromatch.braces('{'.repeat(12000), { nobrace: false })
  }
]
