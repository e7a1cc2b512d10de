/// <reference path="../../untyped.d.ts" />
'use strict'

const { hasDatabases } = require('./databases')

/**
 * @typedef {object} FreshCase as Case in ../corpus.js
 * @property {'fresh/bytes' | 'fresh/data' | 'fresh/documents' | 'fresh/generated' | 'fresh/near-limit' |
 * 'fresh/turns'} module
 * @property {'plain' | 'express'} server
 * @property {string} name
 * @property {string[]} cause
 * @property {string[]} [frames] where others than the function of that name may be blamed
 * @property {string[]} [flags] of Node.js: it has a process of its own
 */

/**
 * Blocks that were chosen, with all that is right of them, before any contestant saw one of them.
 * @type {FreshCase[]}
 */
const all = [
  { module: 'fresh/documents', server: 'plain', name: 'markdownRender', cause: ['js'] },
  { module: 'fresh/documents', server: 'express', name: 'xmlParse', cause: ['js'] },
  { module: 'fresh/documents', server: 'plain', name: 'csvParse', cause: ['js'] },
  { module: 'fresh/documents', server: 'plain', name: 'yamlLoad', cause: ['js'] },
  { module: 'fresh/documents', server: 'express', name: 'textDiff', cause: ['js'] },

  // Collections take 36 to 68% of these two (PerformanceObserver, without a contestant).
  { module: 'fresh/data', server: 'plain', name: 'zodParse', cause: ['js', 'gc'] },
  { module: 'fresh/data', server: 'express', name: 'graphqlReport', cause: ['js'], frames: ['graphqlReport', 'total'] },
  { module: 'fresh/data', server: 'plain', name: 'protobufDecode', cause: ['js', 'gc'] },
  // SQLite in WebAssembly, then JavaScript that makes objects of its rows.
  { module: 'fresh/data', server: 'plain', name: 'ormSelect', cause: ['js', 'native'] },
  // A row is an object: they may be most of it.
  { module: 'fresh/data', server: 'plain', name: 'sqliteAll', cause: ['native', 'gc'] },
  { module: 'fresh/data', server: 'express', name: 'betterSqliteAll', cause: ['native', 'gc'] },
  // Time zones are Intl's, which is native.
  { module: 'fresh/data', server: 'plain', name: 'dueDates', cause: ['js', 'native'], frames: ['dueDates', 'dueDate'] },
  { module: 'fresh/data', server: 'plain', name: 'globMatch', cause: ['js'] },

  { module: 'fresh/bytes', server: 'plain', name: 'brotliPage', cause: ['native'] },
  { module: 'fresh/bytes', server: 'express', name: 'fflateZip', cause: ['js'] },
  // Inflating is native, what makes pixels of it is not.
  { module: 'fresh/bytes', server: 'plain', name: 'pngRead', cause: ['js', 'native'] },
  { module: 'fresh/bytes', server: 'plain', name: 'jpegDecode', cause: ['js'] },
  { module: 'fresh/bytes', server: 'express', name: 'bcryptHash', cause: ['js'] },

  { module: 'fresh/generated', server: 'plain', name: 'handlebarsRender', cause: ['js'] },
  { module: 'fresh/generated', server: 'express', name: 'ejsRender', cause: ['js'] },
  { module: 'fresh/generated', server: 'plain', name: 'newFunction', cause: ['js'] },
  { module: 'fresh/generated', server: 'plain', name: 'vmScript', cause: ['js'] },

  { module: 'fresh/turns', server: 'plain', name: 'parseThenCall', cause: ['native', 'gc'] },
  { module: 'fresh/turns', server: 'plain', name: 'cloneThenUse', cause: ['native', 'gc'] },
  { module: 'fresh/turns', server: 'express', name: 'spawnConverter', cause: ['sync-io'] },
  { module: 'fresh/turns', server: 'plain', name: 'microtaskRow', cause: ['js'] },
  // Many small callbacks, all of one request.
  { module: 'fresh/turns', server: 'plain', name: 'timerRow', cause: ['js', 'many'], frames: ['onTimer'] },
  { module: 'fresh/turns', server: 'express', name: 'immediateRow', cause: ['js', 'many'], frames: ['onImmediate'] },
  // How much of it the collector is, its heuristics decide.
  { module: 'fresh/turns', server: 'plain', name: 'allocationStorm', cause: ['gc', 'js'] },
  // Collections that free next to nothing: the line is where they come, and a cache of 230 MB is what is wrong.
  { module: 'fresh/near-limit', server: 'plain', name: 'nearLimit', cause: ['gc', 'js'], flags: ['--max-old-space-size=256'] }
]

const OF_DATABASES = ['sqliteAll', 'betterSqliteAll']

/** Those that this version of Node.js can run. */
exports.cases = all.filter(({ name }) => hasDatabases || !OF_DATABASES.includes(name))

/** Packages in addition to those of the first set. */
exports.packages = [
  'bcryptjs', 'better-sqlite3', 'diff', 'drizzle-orm', 'ejs', 'fast-xml-parser', 'fflate', 'graphql', 'handlebars',
  'jpeg-js', 'js-yaml', 'luxon', 'marked', 'micromatch', 'papaparse', 'pngjs', 'protobufjs', 'sql.js', 'zod'
]
