'use strict'

const fs = require('node:fs')
const path = require('node:path')
const ts = require('typescript')

const ROOT = path.join(__dirname, '..', '..')
exports.ROOT = ROOT

/** Built by esbuild, compiled by cargo and Go, or installed. */
const NOT_OURS = /(^|\/)(node_modules|built|target|\.cache)\//

/**
 * The files of ours below a folder of the repository.
 * @param {string} folder
 * @returns {string[]} relative to the root, with '/'
 */
exports.filesBelow = (folder) => fs.readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(ROOT, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll(path.sep, '/'))
  .filter((file) => !NOT_OURS.test(file))

/**
 * @typedef {object} Source what a file of JavaScript holds, as far as the rules of the house ask
 * @property {string} file relative to the root
 * @property {string} text
 * @property {number} lines
 * @property {Import[]} imports by require(), import, import() and JSDoc's import('…'), and built-ins by
 * getBuiltinModule()
 * @property {{ name: string, line: number, lines: number }[]} functions with the lines from the first of their own,
 * JSDoc above left out, to the last: comments, blank lines and functions within count
 *
 * @typedef {{ name: string, isType: boolean }} Import
 */

/** @param {string} file relative to the root @returns {Source} */
exports.parse = (file) => {
  const text = fs.readFileSync(path.join(ROOT, file), 'utf8')
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const lineAt = (/** @type {number} */ position) => tree.getLineAndCharacterOfPosition(position).line
  /** @type {Source} */
  const source = { file, text, lines: lineAt(text.length), imports: [], functions: [] }
  /** @param {ts.Node} node */
  const visit = (node) => {
    const imported = importOf(node)
    if (imported !== null) source.imports.push(imported)
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const line = lineAt(node.getStart()) + 1
      source.functions.push({ name: nameOf(node), line, lines: lineAt(node.end) + 1 - line + 1 })
    }
    for (const comment of /** @type {{ jsDoc?: ts.Node[] }} */ (/** @type {unknown} */ (node)).jsDoc ?? []) {
      visit(comment)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return source
}

/** @param {ts.Node} node @returns {Import | null} */
function importOf (node) {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { name: node.argument.literal.text, isType: true }
  }
  if (ts.isJSDocImportTag(node)) {
    return { name: /** @type {ts.StringLiteral} */ (node.moduleSpecifier).text, isType: true }
  }
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
    return { name: /** @type {ts.StringLiteral} */ (node.moduleSpecifier).text, isType: false }
  }
  if (!ts.isCallExpression(node) || node.arguments.length === 0 || !ts.isStringLiteralLike(node.arguments[0])) {
    return null
  }
  const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText()
  return ['require', 'import', 'getBuiltinModule'].includes(callee) ? { name: node.arguments[0].text, isType: false } : null
}

/** @param {ts.Node} node a function */
function nameOf (node) {
  const { name, parent } = /** @type {{ name?: ts.Node, parent: any }} */ (/** @type {unknown} */ (node))
  if (ts.isConstructorDeclaration(node)) return `new ${parent.name?.getText() ?? ''}`
  return (name ?? parent.name ?? parent.left)?.getText() ?? ''
}
