'use strict'

const path = require('node:path')
const { readSource } = require('./read-source')

const FOLDER = path.join(__dirname, '..', '..', 'docs', 'causes')

/** Its text as it is installed; null if a bundler left it out. @param {string} name of a cause, or `io` */
exports.causeDocument = (name) => readSource(path.join(FOLDER, `${name}.md`))

/**
 * What the document of a cause advises, in Markdown without links; null if it is missing.
 * @param {string} name @returns {{ about: string, toDo: string, found: string } | null} about: its first paragraph;
 *   toDo: for every block of this cause; found: for blocks in which a certain call or pattern is found, may be empty
 */
exports.adviceOn = (name) => {
  const text = exports.causeDocument(name)
  if (text === null) return null
  const [head, ...sections] = text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').split(/^## /m)
  const [, toDo = '', found = ''] = [head, 'What to do\n', 'By what is found\n'].map((title) =>
    sections.find((each) => each.startsWith(title))?.slice(title.length).trim())
  return { about: head.split('\n\n')[1].trim(), toDo, found }
}
