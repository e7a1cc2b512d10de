'use strict'

const { fork } = require('node:child_process')
const { once } = require('node:events')
const path = require('node:path')
const { Worker } = require('node:worker_threads')
const { processUsage, threadUsage } = require('../harness/measure/usage')
const { work } = require('./work')

/**
 * @typedef {{ steps: number, input: Uint8Array | null }} Task
 * @typedef {{ value: number, inputBytes: number }} Answer
 *
 * @typedef {object} Times of one task, ms
 * @property {number} startMs the call that starts a process or thread
 * @property {number} sendMs the call that sends the task
 * @property {number} onlineMs from the first call until it runs
 * @property {number} resultMs from the first call until the answer is here
 * @property {number} answeredMs when that was, on the caller's clock
 *
 * @typedef {{ role: string, cpuSeconds: number | null, peakRssBytes: number | null }} Usage of what was started, at its
 * end
 * @typedef {(task: Task) => Promise<{ answer: Answer, times: Times, rssBytes: number, usage?: Usage }>} Means rssBytes:
 * of the caller when the answer is here
 */

const now = () => performance.now()
const rss = () => process.memoryUsage.rss()

/**
 * Starts something for one task and ends it afterwards. The task is sent at once, as a program does that
 * has no time to lose; it waits in the channel until the other side runs.
 * @param {object} side
 * @param {() => any} side.start
 * @param {(started: any, task: Task) => void} side.send
 * @param {(started: any, tid: number | null) => Usage} side.usage
 * @param {(started: any) => Promise<unknown>} side.end
 * @returns {Means}
 */
const startedFor = ({ start, send, usage, end }) => async (task) => {
  const fromMs = now()
  const started = start()
  const startedMs = now()
  send(started, task)
  const sentMs = now()
  let onlineMs = 0
  let tid = null
  const answer = await new Promise((resolve, reject) => {
    started.on('message', (/** @type {any} */ message) => {
      if (!('tid' in message)) return resolve(message)
      onlineMs = now() - fromMs
      tid = message.tid
    })
    started.once('error', reject)
    started.once('exit', (/** @type {number} */ code) => reject(new Error(`ended with exit code ${code} before it answered`)))
  })
  const answeredMs = now()
  const times = {
    startMs: startedMs - fromMs,
    sendMs: sentMs - startedMs,
    onlineMs,
    resultMs: answeredMs - fromMs,
    answeredMs
  }
  const rssBytes = rss()
  const used = usage(started, tid)
  await end(started)
  return { answer, times, rssBytes, usage: used }
}

/** On the caller: the control. @type {Means} */
const inline = async ({ steps, input }) => {
  const fromMs = now()
  const answer = { value: work(steps), inputBytes: input?.length ?? 0 }
  const answeredMs = now()
  const resultMs = answeredMs - fromMs
  return { answer, times: { startMs: 0, sendMs: resultMs, onlineMs: 0, resultMs, answeredMs }, rssBytes: rss() }
}

const forked = startedFor({
  // The same copies of binary data as a thread gets; JSON would measure the serializer (see messaging).
  start: () => fork(path.join(__dirname, 'child.js'), [], { serialization: 'advanced' }),
  send: (child, task) => child.send(task),
  usage: (child) => ({ role: 'child', ...processUsage(child.pid) }),
  end: async (child) => {
    child.kill()
    await once(child, 'exit')
  }
})

const threaded = startedFor({
  start: () => new Worker(path.join(__dirname, 'thread.js')),
  send: (worker, task) => worker.postMessage(task),
  usage: (_, tid) => ({ role: 'worker thread', ...threadUsage(tid) }),
  end: (worker) => worker.terminate()
})

/** A pool whose thread runs already. @param {number} threads @returns {{ run: Means, close: () => Promise<void> }} */
function makePool (threads) {
  const { Piscina } = require('piscina')
  const pool = new Piscina({ filename: path.join(__dirname, 'pool-task.js'), minThreads: threads, maxThreads: threads })
  return {
    run: async (task) => {
      const fromMs = now()
      const answering = pool.run(task)
      const sentMs = now()
      const answer = await answering
      const answeredMs = now()
      return {
        answer,
        times: { startMs: 0, sendMs: sentMs - fromMs, onlineMs: 0, resultMs: answeredMs - fromMs, answeredMs },
        rssBytes: rss()
      }
    },
    close: () => pool.destroy()
  }
}

/**
 * The ways to have a task done, by variant.
 * @type {Record<string, (threads: number) => { run: Means, close: () => Promise<void> }>}
 */
exports.means = {
  inline: () => ({ run: inline, close: async () => {} }),
  fork: () => ({ run: forked, close: async () => {} }),
  worker: () => ({ run: threaded, close: async () => {} }),
  pool: makePool
}
