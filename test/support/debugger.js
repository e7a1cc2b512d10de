'use strict'

const fs = require('node:fs')
const path = require('node:path')
const WebSocket = require('ws')
const { startApp, eventually } = require('./app')

/** A busy machine makes fewer within the time that the function takes. */
const STEPS = 30
const LEAST_STEPS = 5
const STEP_MS = 120
const PAUSE_MS = 1500
/** The function that is debugged: not the one of the blocks around it, which are requested until they are recorded. */
const DEBUGGED = 'recursion'
const BLOCKS = path.join(__dirname, '..', '..', 'scenarios', 'bakeoff', 'corpus', 'blocks.js')

const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** @typedef {Awaited<ReturnType<typeof startApp>>} App */

/**
 * An application with an open port, at which nobody is connected.
 * @param {import('node:test').TestContext} t
 * @param {{ node?: string, args?: string[] }} [setup]
 */
async function startInspected (t, { args = [], ...setup } = {}) {
  const app = await startApp(t, { ...setup, args: [...args, '--inspect=127.0.0.1:0'] })
  const url = /^Debugger listening on (ws:.*)$/m.exec(app.out.stderr)?.[1]
  return { ...app, inspectorUrl: String(url) }
}

/** A debugger as DevTools and VS Code are: connected, with all domains on and a breakpoint. @param {string} url */
async function connect (url) {
  const socket = new WebSocket(url)
  const paused = { count: 0, files: new Set(), last: '' }
  const answers = new Map()
  const files = new Map()
  socket.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(String(data))
    if (id !== undefined) answers.set(id, { result, error })
    if (method === 'Debugger.scriptParsed') files.set(params.scriptId, path.basename(params.url))
    if (method !== 'Debugger.paused') return
    const [{ functionName, location }] = params.callFrames
    paused.count++
    paused.files.add(files.get(location.scriptId))
    paused.last = functionName
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let id = 0
  const send = (/** @type {string} */ method, params = {}) => {
    socket.send(JSON.stringify({ id: ++id, method, params }))
    const sent = id
    return eventually(() => answers.get(sent), method).then(({ error }) => {
      if (error) throw new Error(`${method}: ${error.message}`)
    })
  }
  for (const domain of ['Runtime', 'Debugger', 'Profiler']) await send(`${domain}.enable`)
  const lineNumber = fs.readFileSync(BLOCKS, 'utf8').split('\n')
    .findIndex((text) => text.includes('while') && text.endsWith(`// here: ${DEBUGGED}`))
  await send('Debugger.setBreakpointByUrl', { urlRegex: 'corpus/blocks\\.js$', lineNumber })
  const isPaused = (/** @type {number} */ count) => eventually(() => paused.count >= count, `${count} pauses, not ${paused.count}`)
  return { send, paused, isPaused, close: () => socket.close() }
}

/**
 * Pauses in a request for a while, steps through it until its function ends, and lets it go. Returns the number of
 * pauses.
 * @param {App} app @param {Awaited<ReturnType<typeof connect>>} client
 */
async function debugRequest (app, { send, isPaused, paused, close }) {
  const answer = app.get(`/${DEBUGGED}?ms=${PAUSE_MS + STEPS * STEP_MS}`)
  await isPaused(1)
  await sleep(PAUSE_MS)
  for (let i = 0; i < STEPS && paused.last === DEBUGGED; i++) {
    const { count } = paused
    await send('Debugger.stepOver')
    await isPaused(count + 1)
    await sleep(STEP_MS)
  }
  close()
  await (await answer).text()
  return paused.count
}

exports.startInspected = startInspected
exports.connect = connect
exports.debugRequest = debugRequest
exports.LEAST_STEPS = LEAST_STEPS
