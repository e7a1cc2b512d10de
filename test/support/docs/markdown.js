'use strict'

const fs = require('node:fs')
const path = require('node:path')

const ROOT = path.join(__dirname, '..', '..', '..')
/** Where documents of the project are, but for those of its dependencies and those that are data. */
const FOLDERS = ['docs', 'grafana', 'scenarios', 'test', 'examples', 'action', '.github']
const MARK = /^<!-- (not run|parsed only|blocks|exits|file)(?:: (.+?))? -->$/

/**
 * A block of code in a document.
 * @typedef {object} CodeBlock
 * @property {string} file of the document, from the root of the repository
 * @property {number} line of its first line of code, from 1
 * @property {string} language '' where it has none
 * @property {string} text
 * @property {{ kind: string, value: string } | null} mark the comment above it, which says how it is tested
 */

/** @param {string} folder from the root @returns {string[]} */
const documentsBelow = (folder) => fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
  const file = path.join(folder, entry.name)
  // Packages of others have thousands of folders.
  if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : documentsBelow(file)
  return entry.name.endsWith('.md') ? [file] : []
})

/** Every document, by its path from the root. @returns {string[]} */
exports.documents = () => {
  const below = FOLDERS.flatMap((folder) => documentsBelow(folder))
  return [...fs.readdirSync(ROOT).filter((file) => file.endsWith('.md')), ...below].sort()
}

/** @param {string} file from the root, or absolute @returns {string} */
const read = (file) => fs.readFileSync(path.resolve(ROOT, file), 'utf8')

/** The lines of a document with whether each is within a block of code. @param {string} text */
function linesOf (text) {
  let isCode = false
  return text.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return { line, isCode: isCode || isFence }
  })
}

/** What a link to a heading looks like, as GitHub makes it. @param {string} file @returns {string[]} */
exports.anchors = (file) => {
  /** @type {Map<string, number>} */
  const seen = new Map()
  return linesOf(read(file)).flatMap(({ line, isCode }) => {
    const title = isCode ? null : /^#{1,6} +(.+?)\s*$/.exec(line)
    if (title === null) return []
    const slug = title[1].replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return [count === 0 ? slug : `${slug}-${count}`]
  })
}

/** The targets of links and pictures of a document, with their lines. @param {string} file */
exports.links = (file) => linesOf(read(file)).flatMap(({ line, isCode }, i) => isCode
  ? []
  : [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)|<(?:img|a)[^>]+(?:src|href)="([^"]+)"/g)].map(([, target, attribute]) => ({ target: target ?? attribute, line: i + 1 })))

/** @param {string} file @returns {CodeBlock[]} */
exports.codeBlocks = (file) => {
  const lines = read(file).split('\n')
  /** @type {CodeBlock[]} */
  const blocks = []
  for (let i = 0; i < lines.length; i++) {
    const [, language] = /^```(\w*)$/.exec(lines[i]) ?? []
    if (language === undefined) continue
    const above = lines.slice(0, i).findLast((line) => line.trim() !== '') ?? ''
    const [, kind, value = ''] = MARK.exec(above) ?? []
    const end = lines.indexOf('```', i + 1)
    blocks.push({ file, line: i + 2, language, text: lines.slice(i + 1, end).join('\n'), mark: kind === undefined ? null : { kind, value } })
    i = end
  }
  return blocks
}

/**
 * The rows of the tables below a heading, up to the next heading of any level; cells trimmed, without the head.
 * Code, and links whose text is code, are what they say.
 * @param {string} file
 * @param {string} title of the heading; '' = all of the document
 * @returns {string[][][]} a list of tables
 */
exports.tables = (file, title) => {
  const lines = linesOf(read(file))
  const start = title === '' ? 0 : lines.findIndex(({ line, isCode }) => !isCode && line.replace(/^#+ /, '') === title && line.startsWith('#')) + 1
  if (title !== '' && start === 0) throw new Error(`${file} has no heading "${title}"`)
  /** @type {string[][][]} */
  const tables = []
  let isInside = false
  for (const { line, isCode } of lines.slice(start)) {
    if (title !== '' && !isCode && line.startsWith('#')) break
    const isRow = !isCode && line.startsWith('|')
    if (isRow && !isInside) tables.push([])
    isInside = isRow
    if (isRow && !/^\|[-|\s]+$/.test(line)) tables[tables.length - 1].push(line.slice(1, -1).split('|').map(plain))
  }
  return tables.map(([, ...rows]) => rows)
}

/** @param {string} cell */
const plain = (cell) => cell.trim().replace(/^\[`(.*)`\]\([^)]*\)$/, '$1').replace(/^`(.*)`$/, '$1')

exports.ROOT = ROOT
exports.read = read
