'use strict'

const path = require('node:path')
const ts = require('typescript')

const ROOT = path.join(__dirname, '..', '..', '..')
/** What the agent has for its own threads says so in its JSDoc. */
const INTERNAL = 'Internal.'

/**
 * What an application sees of the package, by its types: names of the agent's members, and of the fields of a record
 * and of what is in it.
 * @returns {{ exports: string[], agent: string[], record: Record<string, string[]> }}
 */
exports.readPublicTypes = () => {
  const main = path.join(ROOT, require('../../../package.json').main)
  const { config } = ts.readConfigFile(path.join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const program = ts.createProgram([main], { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const source = /** @type {ts.SourceFile} */ (program.getSourceFile(main))
  const exported = checker.getExportsOfModule(/** @type {ts.Symbol} */ (checker.getSymbolAtLocation(source)))
  const start = /** @type {ts.Symbol} */ (exported.find(({ name }) => name === 'start'))
  const [signature] = checker.getTypeOfSymbolAtLocation(start, source).getCallSignatures()
  const returned = signature.getReturnType()
  const agent = (returned.isUnion() ? returned.types : [returned])[0]
  const members = agent
    .getProperties()
    .filter(
      (symbol) => isOurs(symbol) && !ts.displayPartsToString(symbol.getDocumentationComment(checker)).includes(INTERNAL)
    )

  /** @param {ts.Type} type @param {string} name */
  const typeOf = (type, name) =>
    checker.getNonNullableType(
      checker.getTypeOfSymbolAtLocation(/** @type {ts.Symbol} */ (type.getProperty(name)), source)
    )
  const [blocks] = typeOf(agent, 'blocks').getCallSignatures()
  const list = /** @type {ts.Type} */ (checker.getAwaitedType(blocks.getReturnType()))
  const record = /** @type {ts.Type} */ (checker.getIndexTypeOfType(list, ts.IndexKind.Number))
  const namesOf = (/** @type {ts.Type} */ type) => type.getProperties().map(({ name }) => name)
  const parts = ['evidence', 'request', 'origin', 'profile', 'package'].map((name) => [name, namesOf(typeOf(record, name))])
  return {
    exports: exported.map(({ name }) => name).sort(),
    agent: members.map(({ name }) => name),
    record: { BlockRecord: namesOf(record), ...Object.fromEntries(parts) }
  }
}

exports.INTERNAL = INTERNAL

/** Not those of EventEmitter, nor private ones. @param {ts.Symbol} symbol */
const isOurs = ({ name, declarations = [] }) => !/^(#|_)/.test(name) &&
  declarations.some((declaration) => declaration.getSourceFile().fileName.startsWith(`${ROOT}${path.sep}lib`))
