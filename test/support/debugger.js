'use strict'

const path = require('node:path')
const WebSocket = require('ws')
const { startApp, eventually } = require('./app')

const STEPS = 30
const STEP_MS = 120
const PAUSE_MS = 1500
/** Not the work of the blocks around it, which are requested until they are recorded. */
const DEBUGGED = '/recursion'

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

/** A debugger as DevTools and VS Code are: connected, with all domains on. @param {string} url */
async function connect (url) {
  const socket = new WebSocket(url)
  const paused = { count: 0, files: new Set() }
  const answers = new Map()
  socket.on('message', (data) => {
    const { id, method, params, result, error } = JSON.parse(String(data))
    if (id !== undefined) answers.set(id, { result, error })
    if (method !== 'Debugger.paused') return
    paused.count++
    paused.files.add(path.basename(params.callFrames[0].url))
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
  const isPaused = (/** @type {number} */ count) => eventually(() => paused.count >= count, `${count} pauses, not ${paused.count}`)
  return { send, paused, isPaused, close: () => socket.close() }
}

/**
 * Pauses in a request for a while, steps through it, and lets it go. Returns the number of pauses.
 * @param {App} app @param {Awaited<ReturnType<typeof connect>>} client
 */
async function debugRequest (app, { send, isPaused, paused, close }) {
  await send('Debugger.pause')
  const answered = app.get(`${DEBUGGED}?ms=1`)
  await isPaused(1)
  await sleep(PAUSE_MS)
  for (let i = 0; i < STEPS; i++) {
    const { count } = paused
    await send('Debugger.stepOver')
    await isPaused(count + 1)
    await sleep(STEP_MS)
  }
  close()
  await (await answered).text()
  return paused.count
}

exports.startInspected = startInspected
exports.connect = connect
exports.debugRequest = debugRequest
exports.STEPS = STEPS
