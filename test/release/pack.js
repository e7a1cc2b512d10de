'use strict'

// `npm run package`: builds the package that an application installs, and packs it. It is not the checkout:
// comments are left out, the types are those that a user can reach, the page and the dashboards are compressed, and a
// link to what stays in the repository is one to the project's address, or plain text while that is not decided.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const zlib = require('node:zlib')
const { buildTypes } = require('./pack-types')

const ROOT = path.join(__dirname, '..', '..')
// Not the one that tests are checked with.
/** @type {typeof import('typescript')} */
const ts = require(path.join(ROOT, 'node_modules', 'typescript'))
/** Fields of package.json that are of the checkout. */
const OURS = ['private', 'files', 'scripts', 'devDependencies', 'allowScripts']
const DASHBOARD = /^grafana\/dashboards\/.+\.json$/
/** A file below this is hardly smaller compressed. The smallest part of the page has 5.2 kB. */
const COMPRESSED_BYTES = 5_000

/**
 * JavaScript without its comments. Every line stays where it is, so that a stack fits the repository's sources.
 * @param {string} source
 */
function withoutComments (source) {
  const tree = ts.createSourceFile('source.js', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  /** @type {Map<number, number>} */
  const ends = new Map()
  const visit = (/** @type {import('typescript').Node} */ node) => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return
    const at = node.getFullStart()
    for (const ranges of [ts.getLeadingCommentRanges(source, at), ts.getTrailingCommentRanges(source, at)]) {
      for (const { pos, end } of ranges ?? []) if (end <= node.getStart(tree)) ends.set(pos, end)
    }
    for (const child of node.getChildren(tree)) visit(child)
  }
  visit(tree)
  let text = ''
  let from = 0
  for (const [pos, end] of [...ends].sort(([a], [b]) => a - b)) {
    text += source.slice(from, pos) + source.slice(pos, end).replace(/[^\n]/g, '')
    from = end
  }
  // A line that held a comment alone is empty. Text of a template keeps its spaces: only lines of comments are touched.
  const lines = source.split('\n')
  return (text + source.slice(from)).split('\n').map((line, i) => line === lines[i] ? line : line.trimEnd()).join('\n')
}

/** @returns {{ path: string }[]} what `files` of package.json names */
function listed () {
  const output = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' })
  return JSON.parse(output.slice(output.indexOf('[\n')))[0].files
}

/**
 * @param {string} markdown
 * @param {string} file its path in the package
 * @param {Set<string>} packed
 * @param {string} [address] of the repository
 */
function withLinks (markdown, file, packed, address) {
  return markdown.replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g, (whole, image, text, target) => {
    const [name, anchor] = target.split('#')
    const to = path.posix.join(path.posix.dirname(file), name)
    if (packed.has(to)) return whole
    if (address === undefined) return image === '' ? text : ''
    return `${image}[${text}](${address}/${image === '' ? 'blob' : 'raw'}/HEAD/${to}${anchor === undefined ? '' : `#${anchor}`})`
  })
}

/** @param {{ repository?: string | { url: string } }} manifest @returns {string | undefined} for links */
function addressOf ({ repository }) {
  const url = typeof repository === 'string' ? repository : repository?.url
  return url?.replace(/^git\+|\.git$/g, '').replace(/^github:/, 'https://github.com/')
}

/**
 * Writes the package into an empty folder.
 * @param {string} to
 */
function build (to) {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
  const files = listed().map(({ path: file }) => file).filter((file) => file !== 'package.json' && !file.startsWith('types/'))
  const packed = new Set(files)
  for (const file of files) {
    const from = path.join(ROOT, file)
    const into = path.join(to, file)
    fs.mkdirSync(path.dirname(into), { recursive: true })
    const isBuilt = file.includes('/built/')
    if (/^lib\/.+\.m?js$/.test(file) && !isBuilt) fs.writeFileSync(into, withoutComments(fs.readFileSync(from, 'utf8')), { mode: fs.statSync(from).mode })
    else if ((isBuilt || DASHBOARD.test(file)) && fs.statSync(from).size > COMPRESSED_BYTES) fs.writeFileSync(`${into}.br`, zlib.brotliCompressSync(fs.readFileSync(from)))
    else if (file.endsWith('.md')) fs.writeFileSync(into, withLinks(fs.readFileSync(from, 'utf8'), file, packed, addressOf(manifest)))
    else fs.copyFileSync(from, into)
  }
  const kept = Object.entries(manifest).filter(([field]) => !OURS.includes(field))
  fs.writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
  buildTypes(to, manifest.exports)
}

/**
 * Builds and packs the package.
 * @param {string} into folder for the packed file
 * @returns {{ file: string, size: number, unpackedSize: number, files: { path: string, size: number }[] }}
 */
function pack (into) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-package-'))
  try {
    build(dir)
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', path.resolve(into)], { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' })
    const [{ filename, size, unpackedSize, files }] = JSON.parse(output.slice(output.indexOf('[\n')))
    return { file: path.join(into, filename), size, unpackedSize, files }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

exports.pack = pack
exports.withLinks = withLinks
exports.withoutComments = withoutComments

if (require.main === module) {
  const { values } = parseArgs({ options: { out: { type: 'string', default: '.' }, json: { type: 'boolean', default: false } } })
  const { file, size, unpackedSize, files } = pack(values.out)
  process.stdout.write(values.json ? `${JSON.stringify({ file, size, unpackedSize, files })}\n` : `${file}\n`)
  if (!values.json) process.stderr.write(`${files.length} files, ${size} bytes packed, ${unpackedSize} bytes unpacked\n`)
}
