'use strict'

const { causeRow } = require('../../../lib/tables/causes')
const fresh = require('./fresh/cases')
const { marks } = require('./marks')
const shapes = require('./shapes/cases')
const { MAIN, THREAD } = require('../target/thread-name')
const { truth } = require('./truth')

/**
 * @typedef {import('./fresh/cases').FreshCase['module'] | import('./shapes/cases').ShapeCase['module']} LaterModule
 *
 * @typedef {object} Company other requests to the same server, by the last part of their paths
 * @property {string} [before] begins first, and goes on until the application says that it holds what is waited for
 * @property {string} [open] the same with a body that ends while the loop is blocked
 * @property {string} [during] comes while the loop is blocked
 *
 * @typedef {object} Case a block of which everything is known
 * @property {string} name
 * @property {'first' | 'fresh' | 'shapes'} set fresh, shapes: chosen before any contestant saw one of them
 * @property {'blocks' | 'everyday' | 'in-memory' | 'libraries' | 'native' | 'places' | LaterModule} module that has it
 * @property {'plain' | 'express' | 'fastify' | 'koa'} server whose handler runs it
 * @property {string[]} cause those that are right, the first one above all
 * @property {string[]} frames functions of the application that may be blamed
 * @property {string[]} lines `file:line` that may be blamed
 * @property {string[]} packages whose own functions and lines may be blamed
 * @property {string | null} route null: it is of no request
 * @property {string} path what the URL has below that of its name
 * @property {('line' | 'request')[]} mayDoubt what nothing in the process may tell: there a mark of doubt is right, too
 * @property {Company} company
 * @property {'request' | 'together' | 'mounted' | 'thread' | 'startup' | 'endless'} kind how it comes about;
 * together: in one turn that takes several requests; mounted: by handlers of its module's own; thread: in a worker
 * thread, while the main thread waits for events
 * @property {string[]} flags of Node.js, if it needs a process of its own
 * @property {string} thread whose loop it is
 * @property {number} requests that come at once
 */

/** @param {Case['server']} server @param {string} name */
const routeOf = (server, name) => ({ plain: `/${name}`, express: `/shop/:id/${name}`, fastify: `/api/:id/${name}`, koa: `/${name}` })[server]

/**
 * @param {Case['module']} module
 * @param {Case['server']} server
 * @param {string} name
 * @param {string[]} cause
 * @param {Partial<Case>} [more]
 * @returns {Case}
 */
const known = (module, server, name, cause, more) => ({
  name,
  set: 'first',
  module,
  server,
  cause,
  frames: [name],
  lines: marks[name],
  packages: [],
  route: routeOf(server, name),
  path: '',
  mayDoubt: [],
  company: {},
  kind: 'request',
  requests: 1,
  flags: [],
  thread: MAIN,
  ...more
})

/** @type {Case[]} */
exports.corpus = [
  ...Object.entries(truth).map(([name, { cause, frames }]) => known('blocks', 'plain', name, cause, { frames })),

  known('native', 'express', 'jsonStringify', ['native', 'gc']),
  known('native', 'fastify', 'sortPlain', ['native']),
  known('native', 'express', 'clone', ['native', 'gc']),
  known('native', 'fastify', 'scrypt', ['native']),
  known('native', 'express', 'spawnAndWait', ['sync-io']),
  // In the kernel, on the CPU or asleep as the disk will have it.
  known('native', 'fastify', 'smallFiles', ['native', 'sync-io']),
  // Reading, compiling and running files: mostly V8's parser or mostly JavaScript.
  known('native', 'express', 'loadModules', ['js', 'native']),
  // fork() copies page tables on the CPU and waits for exec().
  known('native', 'plain', 'startProcesses', ['native', 'sync-io']),

  known('libraries', 'express', 'ajvCompile', ['js']),
  known('libraries', 'plain', 'yamlParse', ['js']),
  known('libraries', 'fastify', 'rxjsReduce', ['js'], { frames: ['rxjsReduce', 'square', 'add'] }),
  // The compiler ends in new Function().
  known('libraries', 'express', 'templateCompile', ['js', 'native']),
  known('libraries', 'plain', 'sourceMap', ['js'], { frames: ['sourceMap', 'square'] }),
  known('libraries', 'fastify', 'histogramPercentiles', ['js']),

  known('everyday', 'fastify', 'searchInSearch', ['js'], { frames: ['searchInSearch', 'isBuyer'] }),
  known('everyday', 'express', 'inspectObject', ['js']),
  // Half of it is JavaScript that native code calls.
  known('everyday', 'fastify', 'jsonWithToJson', ['js', 'native'], { frames: ['jsonWithToJson', 'toJSON'] }),
  known('everyday', 'plain', 'sortByLocale', ['js', 'native'], { frames: ['sortByLocale', 'byLocale'] }),
  known('everyday', 'express', 'hashUpload', ['native']),
  known('everyday', 'fastify', 'brotli', ['native']),
  known('everyday', 'plain', 'bigInts', ['native']),
  known('everyday', 'express', 'webAssembly', ['js', 'native']),
  known('in-memory', 'fastify', 'compiledInMemory', ['js'], { frames: ['compiledInMemory', 'total'] }),

  known('places', 'express', 'afterAwait', ['js']),
  known('places', 'plain', 'inTimer', ['js'], { route: null }),
  known('places', 'fastify', 'inListener', ['js'], { frames: ['inListener', 'onOrder'] }),
  known('places', 'express', 'inStream', ['js'], { frames: ['inStream', 'transform'] }),
  known('places', 'plain', 'inPromise', ['js'], { frames: ['inPromise', 'onFulfilled'] }),
  known('places', 'plain', 'manyCallbacks', ['many'], { frames: ['smallWork'], kind: 'together', requests: 40 }),
  known('places', 'plain', 'twoAtOnce', ['js'], { frames: ['slowWork'], kind: 'together', requests: 2 }),

  known('places', 'plain', 'inThread', ['js'], { route: null, kind: 'thread', thread: THREAD }),
  known('native', 'plain', 'startWorker', ['native', 'gc']),

  // In a process of its own.
  known('blocks', 'plain', 'topLevel', ['js'], { frames: ['atTopLevel'], route: null, kind: 'startup' }),
  known('blocks', 'plain', 'forever', ['js'], { kind: 'endless' }),

  ...fresh.cases.map(({ module, server, name, cause, frames = [name], flags = [] }) =>
    known(module, server, name, cause, { set: 'fresh', frames, flags })),
  ...shapes.cases.map(({ module, server, name, cause, moreLines = [], frames = [name], ...rest }) =>
    known(module, server, name, cause, { set: 'shapes', frames, lines: [...marks[name], ...moreLines], ...rest }))
]

/** Values of --corpus. @type {Record<string, Case['set'][]>} */
exports.SETS = {
  first: ['first'],
  fresh: ['fresh'],
  shapes: ['shapes'],
  all: ['first', 'fresh', 'shapes']
}

/** Seconds rather than minutes: one of each kind, of each set. */
exports.FEW = [
  'spin', 'atomicsWait', 'pbkdf2', 'ajvCompile', 'rxjsReduce', 'inTimer', 'forever',
  'markdownRender', 'parseThenCall', 'newFunction', 'passedByWrapper', 'timerThenRequest'
]

/** Blocked by JavaScript: there a line can be asked for. @param {Case} each */
exports.isJs = ({ cause }) => causeRow(cause[0]).isScript === true
