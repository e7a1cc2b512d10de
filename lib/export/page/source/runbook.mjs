// Makes the runbook that the agent serves at /runbook from docs/operate/runbook.md, when the page is built.
import fs from 'node:fs'
import path from 'node:path'
import { Marked } from 'marked'

const DOCUMENT = 'docs/operate/runbook.md'

const renderer = {
  /**
   * Headings have ids, since an alert links to the heading of its name.
   * @this {any}
   * @param {any} heading
   */
  heading ({ tokens, depth, text }) {
    return `<h${depth} id="${text}">${this.parser.parseInline(tokens)}</h${depth}>\n`
  },
  /**
   * The agent serves the document of a cause as text. Any other link becomes text that says where in the package its
   * document is.
   * @this {any}
   * @param {any} link
   */
  link ({ href, tokens }) {
    const text = this.parser.parseInline(tokens)
    const file = path.posix.join(path.posix.dirname(DOCUMENT), href)
    const cause = /^docs\/causes\/([a-z-]+)\.md$/.exec(file)?.[1]
    return cause === undefined ? `${text} (<code>${file}</code> of the package)` : `<a href="causes/${cause}">${text}</a>`
  }
}

/** @param {string} root of the repository @returns {string} the page */
export function buildRunbook (root) {
  const marked = new Marked({ async: false, renderer })
  const body = marked.parse(fs.readFileSync(path.join(root, DOCUMENT), 'utf8'))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>loopwatch: runbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="page.css">
</head>
<body class="document">
<p><a href="./">Live page</a> · <a href="blocks">blocks</a> · <a href="metrics">metrics</a></p>
${body}</body>
</html>
`
}
