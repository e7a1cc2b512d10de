'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { MessageChannel, Worker } = require('node:worker_threads')
const { connectRing } = require('./ring/ring-transport')

const ECHO_PROCESS = path.join(__dirname, 'echo-process.js')
const ECHO_THREAD = path.join(__dirname, 'echo-thread.js')

/**
 * @typedef {object} Transport
 * @property {(message: any) => void} send
 * @property {(listener: (message: any) => void) => void} onMessage
 * @property {() => void | Promise<unknown>} close
 *
 * @typedef {import('../harness/run/context').Context} Context
 */

/** @param {Context} context @param {'json' | 'advanced'} serialization @returns {Promise<Transport>} */
async function connectFork (context, serialization) {
  const child = fork(ECHO_PROCESS, [], { serialization })
  await once(child, 'message')
  context.trackProcess('child', /** @type {number} */ (child.pid))
  return {
    send: (message) => { child.send(message) },
    onMessage: (listener) => { child.on('message', listener) },
    close: () => { child.kill() }
  }
}

/** @param {Context} context @param {object} data */
async function startThread (context, data) {
  const worker = new Worker(ECHO_THREAD, { workerData: data })
  const [{ tid }] = await once(worker, 'message')
  context.trackThread('worker thread', tid)
  return worker
}

/** @param {Context} context @returns {Promise<Transport>} */
async function connectWorker (context) {
  const worker = await startThread(context, { kind: 'clone' })
  return {
    send: (message) => worker.postMessage(message),
    onMessage: (listener) => { worker.on('message', listener) },
    close: () => worker.terminate()
  }
}

/** @param {Context} context @returns {Promise<Transport>} */
async function connectWorkerJson (context) {
  const worker = await startThread(context, { kind: 'json' })
  return {
    send: (message) => worker.postMessage(JSON.stringify(message)),
    onMessage: (listener) => { worker.on('message', (text) => listener(JSON.parse(text))) },
    close: () => worker.terminate()
  }
}

/** @param {Context} context @returns {Promise<Transport>} */
async function connectTransfer (context) {
  const worker = await startThread(context, { kind: 'transfer' })
  return {
    send: (message) => worker.postMessage(message, [message.buffer]),
    onMessage: (listener) => { worker.on('message', listener) },
    close: () => worker.terminate()
  }
}

/** @param {Context} context @returns {Promise<Transport>} */
async function connectChannel (context) {
  const worker = await startThread(context, { kind: 'channel' })
  const { port1, port2 } = new MessageChannel()
  worker.postMessage(port2, [port2])
  return {
    send: (message) => port1.postMessage(message),
    onMessage: (listener) => { port1.on('message', listener) },
    close: () => worker.terminate()
  }
}

/** Every way to pass a message, by variant. @type {Record<string, (context: Context) => Promise<Transport>>} */
exports.transports = {
  'fork-json': (context) => connectFork(context, 'json'),
  'fork-v8': (context) => connectFork(context, 'advanced'),
  'worker-clone': connectWorker,
  'worker-json': connectWorkerJson,
  'channel-clone': connectChannel,
  'worker-transfer': connectTransfer,
  'ring-json': (context) => connectRing(context, 'json', startThread),
  'ring-raw': (context) => connectRing(context, context.params.payload === 'small' ? 'flag' : 'bytes', startThread)
}
