'use strict'

/** @type {import('../run').Case[]} */
exports.cases = [
  {
    package: 'linkify-it',
    id: 'CVE-2026-59887',
    pairs: [['5.0.1', '5.0.2']],
    prepare: (LinkifyIt) => () => new LinkifyIt().match('mailto:'.repeat(8000))
  },
  {
    package: 'linkify-it',
    id: 'CVE-2026-48801',
    pairs: [['5.0.0', '5.0.1']],
    prepare: (LinkifyIt) => () => new LinkifyIt().match('a@b.co '.repeat(3000))
  },
  {
    package: 'markdown-it',
    id: 'CVE-2026-2327',
    pairs: [['14.1.0', '14.1.1']],
    prepare: (MarkdownIt) => () => new MarkdownIt({ linkify: true }).render(`http://a.co/${'*'.repeat(20000)}x`)
  },
  {
    package: 'markdown-it',
    id: 'CVE-2026-48988',
    pairs: [['14.1.1', '14.2.0']],
    prepare: (MarkdownIt) => () => new MarkdownIt({ typographer: true }).render('"'.repeat(60000))
  },
  {
    package: 'markdown-it',
    id: 'CVE-2022-21670',
    pairs: [['12.3.1', '12.3.2']],
    prepare: (MarkdownIt) => () => new MarkdownIt().render(`x ${' '.repeat(40000)} x  \nx`)
  },
  {
    package: 'marked',
    id: 'GHSA-66g2-49g4-pwrq',
    pairs: [['18.0.14', '18.1.0']],
    prepare: ({ marked }) => () => marked.parse('[x]('.repeat(15000))
  },
  {
    package: 'marked',
    id: 'CVE-2022-21680',
    pairs: [['4.0.9', '4.0.10']],
    prepare: ({ marked }) => () => marked.parse(`[x]:${' '.repeat(500)}x ${' '.repeat(500)} x`)
  },
  {
    package: 'marked',
    id: 'CVE-2021-21306',
    pairs: [['1.2.9', '2.0.0']],
    prepare: (marked) => () => marked(`${'_'.repeat(27)} ${'_'.repeat(14)} ${'_'.repeat(14)} a`)
  },
  {
    package: 'sanitize-html',
    id: 'CVE-2022-25887',
    pairs: [['2.7.0', '2.7.1']],
    prepare: (sanitize) => () => sanitize(`<a href="${'<!--'.repeat(20000)}">`)
  }
]
