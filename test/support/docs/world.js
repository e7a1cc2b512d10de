'use strict'

// The surroundings in which the commands and the code of documents run: an application's folder with loopwatch and the
// frameworks installed, an agent that is on, records in a folder.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const esbuild = require('esbuild')
const { eventually, startNode } = require('../app')
const { makeDir } = require('../files')
const { ROOT } = require('./markdown')

const RUNNER = path.join(__dirname, '..', '..', 'fixtures', 'run-document.mjs')
const DEADLINE_MS = 120000
const BIN = path.join(ROOT, require('../../../package.json').bin.loopwatch)
/** No fixed port, no log beside what fails, and the first block has its request on every version of Node.js. */
const ENV = { PORT: '0', LOOPWATCH_PORT: '0', LOOPWATCH_REQUESTS: 'on', LOOPWATCH_LOG: 'false' }
/** Blocks twice, and ends by itself. */
const APP = `
for (const afterMs of [100, 600]) setTimeout(function hold () { const end = Date.now() + 150; while (Date.now() < end); }, afterMs)
setTimeout(() => {}, 1000)
`

/** Blocks in each request, until it is ended. */
const SERVER = `
require('node:http').createServer(function report (request, response) {
  for (const end = Date.now() + 60; Date.now() < end;);
  response.end()
}).listen(0)
`

/** @param {string} text */
const isModule = (text) => /^(import|export|await|const .* = await) ?\b/m.test(text)

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('./markdown').CodeBlock} CodeBlock */

/** A process under the agent, idle. @param {TestContext} t @returns {Promise<{ url: string, pid: number }>} */
exports.startAgent = async (t) => {
  const { child, out } = startNode(t, ['-e', `require(${JSON.stringify(ROOT)}).start({ port: 0, log: false, profile: 'on' }).ready.then(({ url }) => console.log(url)); setInterval(() => {}, 1000)`])
  const url = await eventually(() => out.stdout.trim(), () => `the agent to listen; stderr: ${out.stderr}`)
  return { url, pid: Number(child.pid) }
}

/** An application's folder. @param {TestContext} t */
exports.makeWorld = (t) => {
  const dir = fs.realpathSync(makeDir(t))
  const modules = path.join(dir, 'node_modules')
  fs.mkdirSync(modules)
  fs.symlinkSync(ROOT, path.join(modules, 'loopwatch'))
  for (const from of [path.join(ROOT, 'test', 'node_modules'), path.join(ROOT, 'node_modules')]) {
    for (const name of fs.existsSync(from) ? fs.readdirSync(from) : []) {
      if (!fs.existsSync(path.join(modules, name))) fs.symlinkSync(path.join(from, name), path.join(modules, name))
    }
  }
  fs.writeFileSync(path.join(dir, 'app.js'), APP)
  fs.writeFileSync(path.join(dir, 'app.mjs'), APP)
  fs.writeFileSync(path.join(dir, 'server.js'), SERVER)
  return dir
}

/**
 * Runs a block of JavaScript or TypeScript as the file it would be.
 * @param {TestContext} t
 * @param {string} world
 * @param {CodeBlock} block
 * @returns {Promise<{ code: number, output: string }>}
 */
exports.runCode = (t, world, { file, line, language, text, mark }) => {
  const folder = path.join(world, file.replace(/\W/g, '-'))
  fs.mkdirSync(folder, { recursive: true })
  const source = language === 'ts'
    ? esbuild.transformSync(text, { loader: 'ts', format: 'esm', tsconfigRaw: { compilerOptions: { experimentalDecorators: true } } }).code
    : text
  const name = mark?.kind === 'file' ? mark.value : `line-${line}.${isModule(source) ? 'mjs' : 'cjs'}`
  fs.writeFileSync(path.join(folder, name), source)
  return run(t, process.execPath, [RUNNER, path.join(folder, name), ...(mark?.kind === 'blocks' ? [mark.value || 'any'] : [])], folder)
}

/**
 * Runs a command of a document in the application's folder.
 * @param {TestContext} t
 * @param {string} world
 * @param {string} command
 * @param {string} url of an agent, which stands where documents have that of the default port
 */
exports.runCommand = (t, world, command, url) => run(t, 'sh', ['-c', command
  .replace(/\bnpx loopwatch\b/g, `"${process.execPath}" "${BIN}"`)
  .replace(/\bnode\b(?= -| app)/g, `"${process.execPath}"`)
  // An answer of 404 is a failure.
  .replace(/\bcurl\b/g, 'curl --fail --max-time 20')
  .replace(/(?:http:\/\/)?127\.0\.0\.1:9464/g, (address) => address.startsWith('http') ? url : new URL(url).host)], world)

/** @param {TestContext} t @param {string} command @param {string[]} args @param {string} cwd */
async function run (t, command, args, cwd) {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...inherited } = process.env
  const child = spawn(command, args, { cwd, env: { ...inherited, ...ENV }, stdio: ['ignore', 'pipe', 'pipe'], timeout: DEADLINE_MS, killSignal: 'SIGKILL' })
  t.after(() => { child.kill('SIGKILL') })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { output += data })
  const [code] = await once(child, 'close')
  return { code: /** @type {number} */ (code), output }
}

exports.BIN = BIN
