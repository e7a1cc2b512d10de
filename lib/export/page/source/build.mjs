// Builds the page's script and style, with the licences of the packages in them, and the documents that it links to.
// The results are committed one folder up, so that the package needs no build and none of these libraries. They are
// compressed: the endpoint sends them as they are, and a search in lib does not meet minified code.
// node lib/export/page/source/build.mjs
import { build } from 'esbuild'
import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Marked } from 'marked'
import { causes } from '../../../tables/causes.js'

const SOURCE = path.dirname(fileURLToPath(import.meta.url))
const ROOT = path.join(SOURCE, '..', '..', '..', '..')
const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
const PAGE = path.join(SOURCE, '..')
const LICENCES = 'THIRD-PARTY.txt'
const BANNER = `/* loopwatch; contains the packages of ${LICENCES} */`
const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/
const STYLE_OF_CAUSES = 'causes.css'
/** Documents of /causes: the causes, and the page for a process without a block. */
const CAUSE = /^docs\/(?:causes|operate(?=\/slow-without))\/([a-z-]+)\.md$/
/** Documents of the agent's pages /runbook and /causes. */
const DOCUMENTS = {
  runbook: ['docs/operate/slow-now.md', 'docs/operate/runbook.md'],
  causes: [...Object.keys(causes).map((name) => `docs/causes/${name}.md`), 'docs/operate/slow-without-a-block.md']
}

/** @param {'light' | 'dark'} scheme */
const variables = (scheme) =>
  `:root { ${Object.entries(causes).map(([name, { color }]) => `--cause-${name}: ${color[scheme]};`).join(' ')} }`

const chips = Object.keys(causes).map((name) => `.cause-${name} { background: var(--cause-${name}); }`)

/** The style of each cause, from the table of causes. @type {import('esbuild').Plugin} */
const causeColors = {
  name: STYLE_OF_CAUSES,
  setup (build) {
    build.onResolve({ filter: /^causes\.css$/ }, () => ({ path: STYLE_OF_CAUSES, namespace: STYLE_OF_CAUSES }))
    build.onLoad({ filter: /./, namespace: STYLE_OF_CAUSES }, () => ({
      contents: [
        variables('light'), `@media (prefers-color-scheme: dark) { ${variables('dark')} }`, ...chips
      ].join('\n'),
      loader: 'css'
    }))
  }
}

/**
 * Changes the source of files before they are bundled.
 * @param {string} name @param {RegExp} filter @param {RegExp} pattern @param {string} replacement
 * @returns {import('esbuild').Plugin}
 */
const replacing = (name, filter, pattern, replacement) => ({
  name,
  setup: (build) => build.onLoad({ filter }, ({ path: file }) =>
    ({ contents: fs.readFileSync(file, 'utf8').replace(pattern, replacement) }))
})

/** A package of D3 is one file, of which esbuild keeps every call that makes a constant, used or not. */
const unusedOfD3 = replacing('unused-of-d3', /[\\/]d3-\w+\.mjs$/,
  /^(var|const) ([\w$]+) = (?=\(function|[\w$]+\()/gm, '$1 $2 = /* @__PURE__ */ ')

/** Columns of causes that the page does not read: colours are in its style. */
const unusedOfCauses = replacing('unused-of-causes', /tables[\\/]causes\.js$/,
  /^ {4}(?:meaning|tool|color|hasCallback|isExcusedInTests): .*\n(?: {6}.*\n)*/gm, '')

/** @returns {Promise<Record<string, string>>} contents of the files by name */
export async function buildPage () {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { page: path.join(SOURCE, 'main.mjs'), report: path.join(SOURCE, 'report.mjs') },
    outdir: PAGE,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome110', 'firefox115', 'safari16.4'],
    legalComments: 'none',
    charset: 'utf8',
    banner: { js: BANNER, css: BANNER },
    plugins: [causeColors, unusedOfD3, unusedOfCauses],
    metafile: true,
    write: false
  })
  const files = outputFiles.map(({ path: file, text }) => [path.basename(file), text])
  const packages = new Set(Object.keys(metafile.inputs).flatMap((input) => PACKAGE.exec(input)?.[1] ?? []))
  return {
    // A report uses the style of the page, which includes its own.
    ...Object.fromEntries(files.filter(([name]) => name !== 'report.css')),
    // The indentation is 0.7 kB.
    'index.html': fs.readFileSync(path.join(SOURCE, 'index.html'), 'utf8').replace(/\n +/g, '\n'),
    'runbook.html': buildDocument('runbook'),
    'causes.html': buildDocument('causes'),
    [LICENCES]: [...packages].sort().map(licenceOf).join('\n')
  }
}

/** Where a file is kept. The licences stay plain text. @param {string} name */
const fileOf = (name) => path.join(PAGE, name === LICENCES ? name : `${name}.gz`)

/** @param {string} name @returns {string} */
export function readBuilt (name) {
  const bytes = fs.readFileSync(fileOf(name))
  return (name === LICENCES ? bytes : gunzipSync(bytes)).toString()
}

/** Whether the package has it. @param {string} file of the repository, with the anchor of a link */
const isPacked = (file) => manifest.files
  .some((/** @type {string} */ each) => file.split('#')[0] === each || file.startsWith(`${each}/`))

/** @param {string} document its path in the package */
function bodyOf (document) {
  const renderer = {
    /** An alert links to the heading of its name, and a block to that of its cause. @this {any} @param {any} heading */
    heading ({ tokens, depth, text }) {
      const id = depth === 1 ? path.basename(document, '.md') : /^Loopwatch\w+$/.test(text) ? text : null
      return `<h${depth}${id === null ? '' : ` id="${id}"`}>${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    /** Any other link becomes text that says where its document is. @this {any} @param {any} link */
    link ({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const file = path.posix.join(path.posix.dirname(document), href)
      const other = CAUSE.exec(file)?.[1]
      if (DOCUMENTS.runbook.includes(file)) return `<a href="runbook#${path.basename(file, '.md')}">${text}</a>`
      return other === undefined
        ? `${text} (<code>${file}</code> ${isPacked(file) ? 'of the package' : 'in the repository'})`
        : `<a href="causes#${other}">${text}</a>`
    }
  }
  return new Marked({ async: false, renderer }).parse(fs.readFileSync(path.join(ROOT, document), 'utf8'))
}

/** @param {keyof typeof DOCUMENTS} name @returns {string} the page */
function buildDocument (name) {
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
${DOCUMENTS[name].map(bodyOf).join('')}</body>
</html>
`
}

/** @param {string} name of a package */
function licenceOf (name) {
  const folder = path.join(ROOT, 'node_modules', name)
  const { version, license } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const file = fs.readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `== ${name} ${version} (${license})\n\n${fs.readFileSync(path.join(folder, file), 'utf8').trim()}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [name, text] of Object.entries(await buildPage())) {
    const file = fileOf(name)
    // Another version of zlib may compress the same text to other bytes.
    if (fs.existsSync(file) && readBuilt(name) === text) continue
    fs.writeFileSync(file, file.endsWith('.gz') ? gzipSync(text, { level: 9 }) : text)
  }
}
