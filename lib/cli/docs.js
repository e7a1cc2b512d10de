'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { readSource } = require('../util/files')
const { codedError } = require('../tables/errors')
const { nearest } = require('../util/nearest')
const { endWithReader } = require('./common/output')

const DOCS = path.join(__dirname, '..', '..', 'docs')
const ELSEWHERE = 'All others are in docs/ of the repository'
const PACKED = ['operate/slow-now.md', 'operate/slow-without-a-block.md', 'operate/runbook.md', 'causes',
  'use/errors.md', 'use/options.md']

/** Files by name, such as `causes/js`. @returns {Map<string, string>} */
function findDocs () {
  const files = PACKED.flatMap((name) => name.endsWith('.md')
    ? [name]
    : fs.readdirSync(path.join(DOCS, name)).map((file) => `${name}/${file}`))
  return new Map(files.map((file) => [file.replace(/\.md$/, ''), path.join(DOCS, file)]))
}

/** Lists the packed documents, or prints one. @param {string} [name] */
exports.showDocs = (name) => {
  endWithReader()
  const docs = findDocs()
  if (name === undefined) {
    for (const [each, file] of docs) process.stdout.write(`${each.padEnd(20)} ${file}\n`)
    process.stdout.write(`${ELSEWHERE}\n`)
    return
  }
  // `options` is enough for use/options, and `causes` for the index of that folder.
  const isMeant = (/** @type {string} */ each) => each === name || each.endsWith(`/${name}`) ||
    each === `${name}/README`
  const [file, ...others] = [...docs].filter(([each]) => isMeant(each)).map(([, path]) => path)
  if (file === undefined || others.length > 0) {
    const names = [...docs.keys()]
    const meant = nearest(name, names.flatMap((each) => [each, path.posix.basename(each)]))
    const expected = `one of ${names.join(', ')} (did you mean ${meant}? ${ELSEWHERE})`
    throw codedError('LOOPWATCH_ERR_OPTION', '[name]', expected, name)
  }
  process.stdout.write(fs.readFileSync(file, 'utf8'))
}

/** The document as it is installed; null if a bundler left it out. @param {string} name of a cause */
exports.causeDocument = (name) => readSource(path.join(DOCS, 'causes', `${name}.md`))

/**
 * Advice from the document of a cause, in Markdown without links; null if it is missing.
 * @param {string} name @returns {{ about: string, toDo: string } | null} about: its first paragraph
 */
exports.adviceOn = (name) => {
  const text = exports.causeDocument(name)
  if (text === null) return null
  const [head, ...sections] = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split(/^## /m)
  const toDo = sections.find((section) => section.startsWith('What to do\n')) ?? ''
  return { about: head.split('\n\n')[1].trim(), toDo: toDo.replace(/^.*\n/, '').trim() }
}
