'use strict'

const path = require('node:path')
const { codeBlocks, documents } = require('./markdown')

/** Documents whose code is for users. Scenarios, dashboards and tests have tests of their own. */
const forUsers = documents()
  .filter((file) => file.startsWith(`docs${path.sep}`) || /^(README|SECURITY|CONTRIBUTING)\.md$/.test(file))
const blocks = forUsers.flatMap(codeBlocks)

/** @param {string[]} languages @param {boolean} [isRun] only blocks that a test runs */
exports.inLanguage = (languages, isRun = false) => blocks.filter(({ language, mark }) => languages.includes(language) &&
  !(isRun && ['not run', 'parsed only'].includes(mark?.kind ?? '')))

/** @param {import('./markdown').CodeBlock} block */
exports.placeOf = ({ file, line }) => `${file}:${line}`
exports.blocks = blocks
exports.forUsers = forUsers
