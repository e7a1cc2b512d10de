'use strict'

const { spawn } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')

const FIXTURES = path.join(__dirname, '..', 'fixtures')
const BLOCKING_APP = path.join(__dirname, '..', '..', 'scenarios', 'bakeoff', 'app.js')
const POLL_MS = 10
/** Costs only what fails: on a machine that is busy with much else an application takes ten seconds to start. */
const DEADLINE_MS = 60_000

/**
 * Polls until a value comes that is not null, undefined or false; says what was seen instead.
 * @template T
 * @param {() => T | Promise<T>} look
 * @param {string | (() => string | Promise<string>)} what
 * @param {number} [deadlineMs]
 * @returns {Promise<Exclude<T, null | undefined | false>>}
 */
async function eventually (look, what, deadlineMs = DEADLINE_MS) {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await look()
    if (value) return /** @type {any} */ (value)
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${typeof what === 'function' ? await what() : what}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/**
 * A real Node.js process with its output, ended with the test.
 * @param {import('node:test').TestContext | { after: (fn: () => unknown) => void }} t
 * @param {string[]} args fixtures are named without folder
 * @param {{ env?: Record<string, string>, node?: string, stdio?: any, cwd?: string, detached?: boolean }} [options]
 */
function startNode (t, args, { env = {}, node = process.env.TEST_NODE ?? process.execPath, stdio = 'pipe', cwd, detached } = {}) {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...inherited } = process.env
  const child = spawn(node, args.map((arg) => /^[\w-]+\.[cm]?js$/.test(arg) ? path.join(FIXTURES, arg) : arg), {
    env: { ...inherited, ...env }, stdio, cwd, detached
  })
  const out = { stdout: '', stderr: '' }
  child.stdout?.on('data', (data) => { out.stdout += data })
  child.stderr?.on('data', (data) => { out.stderr += data })
  const closed = once(child, 'close').then(([code, signal]) => ({ code, signal, ...out }))
  t.after(() => { if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL') })
  return { child, out, closed }
}

/**
 * The blocking application under the agent.
 * @param {import('node:test').TestContext} t
 * @param {{ options?: object, args?: string[], env?: Record<string, string>, node?: string }} [setup]
 */
async function startApp (t, { options = {}, args = [], env = {}, node } = {}) {
  const app = startNode(t, [...args, BLOCKING_APP], { env: { ...env, BAKEOFF_OPTIONS: JSON.stringify({ port: 0, requests: 'on', ...options }) }, node })
  const ready = /** @type {{ port: number, url: string }} */ (await eventually(
    () => /^\{.*\}$/m.exec(app.out.stderr) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{.*\}$/m.exec(app.out.stderr))[0]),
    () => `the application to listen; stderr: ${app.out.stderr}`))
  const lines = () => app.out.stdout.split('\n').flatMap((text) => {
    try { return [JSON.parse(text)] } catch { return [] }
  })
  return {
    ...app,
    ...ready,
    /** Log lines so far. */
    lines,
    /** @param {(line: any) => boolean} test @param {string} what */
    line: (test, what) => eventually(() => lines().find(test), () => `${what}; the log: ${app.out.stdout}`),
    /** Asks the application itself. @param {string} path */
    get: (path) => fetch(`http://127.0.0.1:${ready.port}${path}`),
    /** Asks the watchdog's endpoint. @param {string} path @param {RequestInit} [init] */
    watchdog: (path, init) => fetch(`${ready.url}${path}`, init)
  }
}

exports.eventually = eventually
exports.startNode = startNode
exports.startApp = startApp
exports.FIXTURES = FIXTURES
