'use strict'

// `npm run declarations`: writes the types that an application reaches from the package's entry points, and no others,
// into lib/declarations. They are kept in git, so that an install from git has them too.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const manifest = require('../../package.json')
const { INTERNAL } = require('../support/docs/public-types')

const ROOT = path.join(__dirname, '..', '..')
const OUT = path.join('lib', 'declarations')
// Not the one that tests are checked with.
const TYPESCRIPT = path.join(ROOT, 'node_modules', 'typescript')
/** @type {typeof import('typescript')} */
const ts = require(TYPESCRIPT)
const TSC = path.join(TYPESCRIPT, 'bin', 'tsc')
/** What only the types of Node.js declare. */
const NODE_TYPES = /\bNodeJS\.|["'](?:node:|events|http|https|http2|net|stream|worker_threads|diagnostics_channel)\b/

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
  return withoutUnused(text + declarations.slice(from))
    .replace(/^\s*\n/gm, '')
    .replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 4))
}

const IMPORT = /^import type \{ ([^}]*) \} from (.*)$/gm

/** Without imports that only members of no concern need. @param {string} text */
function withoutUnused (text) {
  const code = text.replace(IMPORT, '').replace(/\/\*[\s\S]*?\*\//g, '')
  return text.replace(IMPORT, (_, names, from) => {
    const used = names.split(', ').filter((/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(code))
    return used.length === 0 ? '' : `import type { ${used.join(', ')} } from ${from}`
  })
}

/** TypeScript 7 loads the types of Node.js only if somebody asks for them. @param {string} text */
const withNode = (text) => NODE_TYPES.test(text) ? `/// <reference types="node" />\n${text}` : text

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

/**
 * The declarations that an application reaches from the package's entry points, by their paths below lib/declarations.
 * @returns {Map<string, string>}
 */
function declarations () {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-types-'))
  try {
    execFileSync(process.execPath, [TSC, '--project', path.join(ROOT, 'tsconfig.build.json'), '--outDir', dir], { stdio: ['ignore', 'inherit', 'inherit'] })
    const doors = Object.values(manifest.exports).flatMap((door) => typeof door === 'string' ? [] : path.relative(OUT, door.types))
    const lib = path.join(dir, 'lib')
    return new Map([...reachable(lib, doors)].map(([file, text]) => [path.relative(lib, file), withNode(text)]))
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

exports.declarations = declarations
exports.publicPart = publicPart
exports.OUT = OUT

if (require.main === module) {
  fs.rmSync(path.join(ROOT, OUT), { recursive: true, force: true })
  for (const [name, text] of declarations()) {
    const file = path.join(ROOT, OUT, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
}
