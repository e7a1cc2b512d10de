'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const os = require('node:os')
const process = require('../util/process')

/** @import { Role } from '../types' */

/** Channel on which Node.js publishes every new child process. */
const CHILDREN = 'child_process'

/**
 * Finds this process's role in a node:cluster; the watchdog cannot, as its environment is empty. A process is a primary
 * from its first fork on. Loading node:cluster takes 3 ms (20.20 to 26.10) and is left to the application: workers have
 * it from the start, primaries from their first fork.
 * @param {() => void} onPrimary called once, unless role() has already said so
 */
exports.startClusterRole = (onPrimary) => {
  let isPrimary = hasWorkers()
  const look = () => {
    if (isPrimary || !hasWorkers()) return
    isPrimary = true
    stop()
    onPrimary()
  }
  // The channel publishes a child before `cluster.workers` has it.
  const onChild = () => process.nextTick(look)
  const stop = () => { diagnosticsChannel.unsubscribe(CHILDREN, onChild) }
  const isWorker = clusterIfLoaded()?.isWorker ?? false
  if (!isPrimary && !isWorker) diagnosticsChannel.subscribe(CHILDREN, onChild)

  // A worker whose primary dies gets another parent, so the pid is read now.
  const primaryPid = process.ppid
  const tmpdir = os.tmpdir()
  return {
    /** @returns {Role} */
    role: () => ({ kind: isWorker ? 'worker' : isPrimary ? 'primary' : 'single', primaryPid, tmpdir }),
    stop
  }
}

/** @returns {typeof import('node:cluster').default | null} */
function clusterIfLoaded () {
  const { moduleLoadList } = /** @type {{ moduleLoadList?: string[] }} */ (/** @type {unknown} */ (process))
  // The list is undocumented. Without it node:cluster is loaded, which costs time but gives the right answer.
  const isLoaded = moduleLoadList?.includes('NativeModule cluster') ?? true
  return isLoaded ? /** @type {any} */ (require('node:cluster')) : null
}

function hasWorkers () {
  return Object.keys(clusterIfLoaded()?.workers ?? {}).length > 0
}

exports.clusterIfLoaded = clusterIfLoaded
