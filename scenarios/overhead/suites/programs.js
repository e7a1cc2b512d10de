'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

/**
 * @typedef {object} Program
 * @property {'suite' | 'tool' | 'application'} kind an application serves until it is ended
 * @property {string[]} command is found in node_modules/.bin: of its folder, of the cache, or of this repository
 * @property {string} [clone] where its suite comes from; run in the folder of that name
 * @property {string[]} [packages] of npm, with their versions, installed in the cache
 * @property {Record<string, string>} [files] of an application to build, written to a folder of its own
 */

const REPOSITORY = path.join(__dirname, '..', '..', '..')
const APP = path.join(__dirname, 'app.js')
const PM2 = { kind: /** @type {const} */ ('application'), packages: ['pm2@7.0.4'] }
/** The command of its package.json, without the limit of two seconds, which fails tests on a busy machine. */
const MOCHA = 'mocha --require test/support/env --reporter spec --check-leaks --timeout 0 test/ test/acceptance/'

/** How many times as long a program may take under the preload. @type {Partial<Record<Program['kind'], number>>} */
exports.aims = { suite: 1.15, tool: 1.05 }

/** @type {Record<string, Program>} */
exports.programs = {
  express: { kind: 'suite', clone: 'https://github.com/expressjs/express', command: MOCHA.split(' ') },
  koa: { kind: 'suite', clone: 'https://github.com/koajs/koa', command: ['node', '--test'] },
  'light-my-request': { kind: 'suite', clone: 'https://github.com/fastify/light-my-request', command: ['node', '--test'] },
  multer: { kind: 'suite', clone: 'https://github.com/expressjs/multer', command: 'mocha --reporter spec --exit --check-leaks test/'.split(' ') },
  session: {
    kind: 'suite',
    clone: 'https://github.com/expressjs/session',
    command: 'mocha --require test/support/env --check-leaks --no-exit --reporter spec test/'.split(' ')
  },
  'commander.js': { kind: 'suite', clone: 'https://github.com/tj/commander.js', command: ['node', '--test'] },
  'node -e': { kind: 'tool', command: ['node', '-e', 'console.log(1)'] },
  'npm ls': { kind: 'tool', command: ['npm', 'ls'] },
  eslint: { kind: 'tool', command: ['eslint', 'lib/watchdog'] },
  tsc: { kind: 'tool', command: ['tsc', '--noEmit', '--project', 'tsconfig.build.json', '--emitDeclarationOnly', 'false'] },
  'vite build': {
    kind: 'tool',
    packages: ['vite@8.3.8', 'react@19.3.1', 'react-dom@19.3.1'],
    command: ['vite', 'build'],
    files: {
      'index.html': '<div id="root"></div><script type="module" src="main.js"></script>',
      'main.js': 'import { createElement } from "react"\nimport { createRoot } from "react-dom/client"\ncreateRoot(document.getElementById("root")).render(createElement("h1", null, "Hello"))'
    }
  },
  'next build': {
    kind: 'tool',
    packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
    command: ['next', 'build'],
    files: {
      'app/layout.js': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
      'app/page.js': 'export default () => <h1>Hello</h1>'
    }
  },
  nodemon: { kind: 'application', packages: ['nodemon@3.1.14'], command: ['nodemon', APP] },
  'cross-env': { kind: 'application', packages: ['cross-env@10.1.0'], command: ['cross-env', 'NODE_ENV=production', 'node', APP] },
  'pm2 fork': { ...PM2, command: ['pm2-runtime', 'start', APP] },
  'pm2 cluster': { ...PM2, command: ['pm2-runtime', 'start', APP, '-i', '2'] },
  // Like a container with one CPU: Node.js counts the CPUs that it may use.
  'one CPU': { kind: 'application', command: ['taskset', '-c', '0', 'node', APP] }
}

/** Of this user alone, as programs in it are run. Outside the repository: its tools must not see what is installed. */
exports.CACHE = path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'loopwatch', 'suites')

/** @param {string} name @param {string} dir of suites and tools */
const missingPackages = (name, dir) => (exports.programs[name].packages ?? []).filter((each) => {
  const [, packageName, version] = /** @type {RegExpExecArray} */ (/^(.+)@(.+)$/.exec(each))
  const file = path.join(dir, 'node_modules', packageName, 'package.json')
  return !fs.existsSync(file) || JSON.parse(fs.readFileSync(file, 'utf8')).version !== version
})

/** Why a program cannot be run; null if it can. @param {string} name @param {string} dir @returns {string | null} */
exports.missing = (name, dir) => {
  const { clone, command: [file] } = exports.programs[name]
  const suite = path.join(dir, name)
  if (clone !== undefined && !fs.existsSync(path.join(suite, 'node_modules'))) return `git clone ${clone} ${suite} && npm install --prefix ${suite}`
  if (file === 'taskset' && spawnSync(file, ['-c', '0', 'true']).status !== 0) return 'needs taskset'
  const packages = missingPackages(name, dir)
  return packages.length === 0 ? null : `npm install --prefix ${dir} ${packages.join(' ')}`
}

/** Installs tools that are not there. Suites are the user's to clone. @param {string[]} names @param {string} dir */
exports.install = (names, dir) => {
  const packages = [...new Set(names.flatMap((name) => missingPackages(name, dir)))]
  if (packages.length === 0) return
  process.stderr.write(`installing ${packages.join(', ')} in ${dir}, once\n`)
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
  spawnSync('npm', ['install', '--prefix', dir, '--save-exact', '--no-audit', '--no-fund', '--loglevel=error', ...packages], { stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' })
}

/** Folder of a program, and its PATH, with this Node.js first. @param {string} name @param {string} dir */
exports.place = (name, dir) => {
  const { clone, files } = exports.programs[name]
  const cwd = clone === undefined && files === undefined ? REPOSITORY : path.join(dir, name)
  for (const [file, text] of Object.entries(files ?? {})) {
    fs.mkdirSync(path.dirname(path.join(cwd, file)), { recursive: true })
    fs.writeFileSync(path.join(cwd, file), text)
  }
  const bins = [cwd, dir, REPOSITORY].map((each) => path.join(each, 'node_modules', '.bin'))
  return { cwd, PATH: [path.dirname(process.execPath), ...bins, process.env.PATH].join(path.delimiter) }
}
