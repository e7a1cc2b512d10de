'use strict'

// Whether pools leave anything behind: node scenarios/hook-calls/leak.js [pools] [implementation]
// Each has four workers, is asked for long answers, is stopped while busy and ends. The process's resident
// memory is printed eleven times, after a collection; the first pools fill caches that stay. "threads" in place of an
// implementation is the control: as many worker threads come and go, and nothing is called from Rust. "runs" is
// one pool with this number of calls, whose memory V8 must know of, or it would not collect it.
const path = require('node:path')
const v8 = require('node:v8')
const vm = require('node:vm')
const { buildAddon, rustVersion } = require('./build')
const { implementations } = require('./implementations')
const { startThreads } = require('./threads/threads')

const MB = 1024 * 1024
const WORKERS = 4
const CALLS = 20
/** A megabyte of ids in each run: one that is kept shows within a hundred pools. */
const ID_LENGTH = 50000
v8.setFlagsFromString('--expose-gc')
/** Its own outcomes are the main thread's to collect, which waits until there is much to collect. @type {() => void} */
const collect = vm.runInNewContext('gc')
const HOOK = { consumeMs: 0, stepsPerMs: null, asyncMs: 0 }

/**
 * The life of a pool.
 * @param {string} file the addon
 * @param {string} implementation
 */
async function usePool (file, implementation) {
  const pool = await implementations[implementation]({ file, workers: WORKERS, hook: HOOK })
  const outcome = await pool.run(CALLS, ID_LENGTH)
  if (outcome.failures().length > 0) throw new Error(outcome.failures()[0].message)
  const running = pool.run(CALLS, ID_LENGTH)
  await pool.stop()
  await running
}

async function useThreads () {
  const { workers } = await startThreads(path.join(__dirname, 'threads', 'indirect-thread.js'), WORKERS, { hook: HOOK, hookFile: null })
  await Promise.all(workers.map((worker) => worker.terminate()))
}

/** @param {string} file the addon @param {string} kind what comes and goes: called as often as asked for */
async function lifeOf (file, kind) {
  if (kind === 'threads') return useThreads
  if (kind !== 'runs') return () => usePool(file, kind)
  const pool = await implementations.direct({ file, workers: WORKERS, hook: HOOK })
  return () => pool.run(CALLS, ID_LENGTH)
}

/** @param {number} most @param {string} kind */
async function main (most, kind) {
  const version = rustVersion()
  if (version === null) throw new Error('needs cargo to build its addon: https://rustup.rs')
  const file = await buildAddon({ say: console.error, version })
  const use = await lifeOf(file, kind)
  for (let done = 0; ;) {
    if (kind !== 'runs') collect()
    console.log(`${String(done).padStart(6)} ${kind === 'runs' ? kind : 'pools'}  RSS ${(process.memoryUsage.rss() / MB).toFixed(1)} MB`)
    if (done >= most) process.exit()
    for (const until = done + Math.ceil(most / 10); done < until; done++) await use()
  }
}

main(Number(process.argv[2] ?? 1000), process.argv[3] ?? 'direct')
