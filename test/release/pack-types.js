'use strict'

// The types of the package: those that an application reaches from its entry points, and no others.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { INTERNAL } = require('../support/docs/public-types')

const ROOT = path.join(__dirname, '..', '..')
// Not the one that tests are checked with.
const TYPESCRIPT = path.join(ROOT, 'node_modules', 'typescript')
/** @type {typeof import('typescript')} */
const ts = require(TYPESCRIPT)
const TSC = path.join(TYPESCRIPT, 'bin', 'tsc')

/**
 * Declarations without the members that the agent has for its own threads, and without the comments of which the
 * compiler has made types. An indent is a space for a level in place of four.
 * @param {string} declarations as tsc writes them
 */
function publicPart (declarations) {
  const tree = ts.createSourceFile('source.d.ts', declarations, ts.ScriptTarget.Latest, true)
  /** @type {[number, number][]} */
  const cuts = []
  for (const statement of tree.statements) {
    for (const { pos, end } of ts.getLeadingCommentRanges(declarations, statement.getFullStart()) ?? []) {
      if (declarations.slice(pos, end).includes('@typedef')) cuts.push([pos, end])
    }
    for (const member of ts.isClassDeclaration(statement) ? statement.members : []) {
      const [start, end] = [member.getFullStart(), member.end]
      if (declarations.slice(start, member.getStart(tree)).includes(INTERNAL)) cuts.push([start, end])
    }
  }
  let text = ''
  let from = 0
  for (const [start, end] of cuts) {
    text += declarations.slice(from, start)
    from = end
  }
  return (text + declarations.slice(from))
    .replace(/^\s*\n/gm, '')
    .replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4))
}

/**
 * The files that the entry points lead to, with what is public of each.
 * @param {string} folder of them
 * @param {string[]} entries
 */
function reachable (folder, entries) {
  /** @type {Map<string, string>} */
  const found = new Map()
  const walk = (/** @type {string} */ file) => {
    if (found.has(file)) return
    const text = publicPart(fs.readFileSync(file, 'utf8'))
    found.set(file, text)
    const code = text.replace(/\/\*[^]*?\*\//g, '')
    for (const [, target] of code.matchAll(/(?:from |import\(|require\()["'](\.[^"']+)["']/g)) {
      const base = path.join(path.dirname(file), target)
      const next = [`${base}.d.ts`, path.join(base, 'index.d.ts'), base.replace(/\.mjs$/, '.d.mts')].find((each) => fs.existsSync(each))
      if (next !== undefined) walk(next)
    }
  }
  for (const entry of entries) walk(path.join(folder, entry))
  return found
}

/** @param {string} to folder of the package @param {Record<string, { types?: string }>} doors */
function buildTypes (to, doors) {
  execFileSync(process.execPath, [TSC, '--project', path.join(ROOT, 'tsconfig.build.json'), '--outDir', path.join(to, 'types')], { stdio: ['ignore', 'inherit', 'inherit'] })
  const kept = reachable(to, Object.values(doors).flatMap(({ types }) => types ?? []))
  for (const entry of fs.readdirSync(path.join(to, 'types'), { recursive: true, encoding: 'utf8' })) {
    const file = path.join(to, 'types', entry)
    if (!fs.statSync(file).isFile()) continue
    const text = kept.get(file)
    if (text === undefined) fs.rmSync(file)
    else fs.writeFileSync(file, text)
  }
}

exports.buildTypes = buildTypes
exports.publicPart = publicPart
