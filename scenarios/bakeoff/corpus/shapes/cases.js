'use strict'

const { hasDatabases } = require('../fresh/databases')
const { marks } = require('../marks')
const { linesWith } = require('./package-lines')

/**
 * @typedef {object} ShapeCase as Case in ../corpus.js
 * @property {'shapes/limiters' | 'shapes/made-code' | 'shapes/native-code' | 'shapes/passing' |
 * 'shapes/same-turn'} module
 * @property {'plain' | 'express' | 'fastify' | 'koa'} server
 * @property {string} name
 * @property {string[]} cause
 * @property {string[]} [frames] where others than the function of that name may be blamed
 * @property {string[]} [moreLines] that may be blamed in addition to the marked ones
 * @property {string[]} [packages] any line of which may be blamed
 * @property {string | null} [route]
 * @property {string} [path] below that of its name
 * @property {'mounted'} [kind]
 * @property {('line' | 'request')[]} [mayDoubt]
 * @property {import('../corpus').Company} [company]
 */

// Where the work is somebody else's than the context says, nothing in the process may tell whose: a mark of doubt is
// as good as the right name.
/** @type {Partial<ShapeCase>} */
const WAITING = { module: 'shapes/limiters', server: 'express', kind: 'mounted', mayDoubt: ['request'] }
// The timer is nobody's, and the heavier of the two callbacks.
/** @type {Partial<ShapeCase>} */
const TIMED = { module: 'shapes/same-turn', server: 'express', kind: 'mounted', route: null, mayDoubt: ['request'] }
// From Node.js 26 on, settling the promise is three quarters of it: 55 of 73 ms without a contestant, 66 of 200 before.
/** @type {Pick<ShapeCase, 'frames' | 'moreLines'>} */
const reactions = Number.parseInt(process.versions.node) < 26
  ? { frames: ['leaveReactions'] }
  : { frames: ['leaveReactions', 'settleAll'], moreLines: marks.settleAll }

/**
 * Blocks of which the usual evidence (the stack, the asynchronous context) says something else than what is true.
 * Chosen, with all that is right of them, before the agent was run on any.
 * @type {ShapeCase[]}
 */
const all = /** @type {ShapeCase[]} */ ([
  { ...WAITING, name: 'limitedByPLimit', cause: ['js'], frames: ['drawChart'], company: { before: 'thumbnail' } },
  { ...WAITING, name: 'queueOfOne', cause: ['js'], frames: ['convertPicture'], company: { before: 'preview' } },
  { ...WAITING, name: 'poolWaiter', cause: ['js'], frames: ['formatRows'], company: { before: 'address' } },
  // 2000 of the 2001 keys are of the second request, so that it is the one to name; the context is the first one's.
  { ...WAITING, name: 'batchedLoad', cause: ['js'], frames: ['priceAll', 'priceOf'], company: { before: 'price' } },

  // What can be changed is the pattern, in the line that registers it; what runs is the router's line that tries it.
  {
    module: 'shapes/passing',
    server: 'express',
    name: 'passedByExpress',
    cause: ['js'],
    kind: 'mounted',
    path: `/${'/'.repeat(1000)}`,
    route: '/shop/:id/passedByExpress/*path',
    frames: ['mountExpress', 'regexpMatcher'],
    moreLines: linesWith('router/lib/layer.js', '_path.exec(')
  },
  // Not all that calls a package passes on: of the two middlewares the second one chose what to call.
  { module: 'shapes/passing', server: 'koa', name: 'passedByKoa', cause: ['js'], kind: 'mounted', frames: ['renderArticle'], route: '/passedByKoa' },
  // The wrapper runs whatever it is given. The line that gives it is right, and so is the package's own.
  { module: 'shapes/passing', server: 'plain', name: 'passedByWrapper', cause: ['js'], packages: ['diff'] },

  // What they call back has a hundredth of the time.
  { module: 'shapes/native-code', server: 'plain', name: 'sqliteCallback', cause: ['native'] },
  { module: 'shapes/native-code', server: 'express', name: 'reviver', cause: ['native', 'gc'] },
  { module: 'shapes/native-code', server: 'express', name: 'keyAfterAwait', cause: ['native'], frames: ['deriveKey'] },
  // Node's own JavaScript calls OpenSSL once for each certificate.
  { module: 'shapes/native-code', server: 'plain', name: 'tlsAuthorities', cause: ['native'] },

  // The handler has returned: what is left is Fastify's, and of the generated code.
  { module: 'shapes/made-code', server: 'fastify', name: 'serializedByFastify', cause: ['js', 'native', 'gc'], kind: 'mounted', frames: ['mountFastify'], packages: ['fastify', 'fast-json-stringify'] },
  { module: 'shapes/made-code', server: 'plain', name: 'transformedInMemory', cause: ['js'], frames: ['transformedInMemory', 'bill', 'tariffOf', 'isBelow'] },

  { ...TIMED, name: 'timerThenRequest', cause: ['js'], frames: ['rebuildIndex'], company: { during: 'balance' } },
  { ...TIMED, name: 'endAfterTimer', cause: ['js'], frames: ['expireSessions'], company: { open: 'upload' } },
  // The reactions are V8's own code. The line that left them is best; no line is better than the one that settles.
  {
    module: 'shapes/same-turn',
    server: 'express',
    name: 'reactionsOfOne',
    cause: ['js', 'native', 'gc'],
    kind: 'mounted',
    ...reactions,
    mayDoubt: ['line', 'request'],
    company: { before: 'watch' }
  }
])

/** Those that this version of Node.js can run. */
exports.cases = all.filter(({ name }) => hasDatabases || name !== 'sqliteCallback')

/** Packages in addition to those of the first set. */
exports.packages = ['better-sqlite3', 'dataloader', 'diff', 'koa', 'marked', 'p-limit']
