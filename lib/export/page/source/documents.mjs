// Makes the pages that the agent serves at /runbook and /causes from documents, when the page is built.
import fs from 'node:fs'
import path from 'node:path'
import { Marked } from 'marked'
import { causes } from '../../../tables/causes.js'

const CAUSE = /^docs\/causes\/([a-z-]+)\.md$/
const FILES = {
  runbook: ['docs/operate/runbook.md'],
  causes: [...Object.keys(causes), 'io'].map((name) => `docs/causes/${name}.md`)
}

/** @param {string} document its path in the package @param {string} root of the repository */
function bodyOf (document, root) {
  const cause = CAUSE.exec(document)?.[1]
  const renderer = {
    /**
     * An alert links to the heading of its name, and a block to that of its cause.
     * @this {any}
     * @param {any} heading
     */
    heading ({ tokens, depth, text }) {
      const id = cause === undefined ? text : depth === 1 ? cause : null
      return `<h${depth}${id === null ? '' : ` id="${id}"`}>${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    /**
     * Any other link becomes text that says where in the package its document is.
     * @this {any}
     * @param {any} link
     */
    link ({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const file = path.posix.join(path.posix.dirname(document), href)
      const other = CAUSE.exec(file)?.[1]
      return other === undefined ? `${text} (<code>${file}</code> of the package)` : `<a href="causes#${other}">${text}</a>`
    }
  }
  return new Marked({ async: false, renderer }).parse(fs.readFileSync(path.join(root, document), 'utf8'))
}

/** @param {string} root of the repository @param {keyof typeof FILES} name @returns {string} the page */
export function buildDocument (root, name) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>loopwatch: ${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
</head>
<body class="document">
<p><a href="./">Live page</a> · <a href="blocks">blocks</a> · <a href="metrics">metrics</a></p>
${FILES[name].map((document) => bodyOf(document, root)).join('')}</body>
</html>
`
}
