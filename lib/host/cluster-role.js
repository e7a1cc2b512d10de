'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const os = require('node:os')
const process = require('../util/process')

/** @import { Role } from '../types' */

/** Node.js publishes every new child process on this channel. */
const CHILDREN = 'child_process'

/**
 * Finds out what this process is in a node:cluster. The watchdog cannot: its environment is empty. A process is a
 * primary from its first fork on. Loading node:cluster takes 3 ms (measured on 20.20, 22.23, 24.21, 26.10), so that is
 * left to the application: workers have it from the start, primaries from their first fork.
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
  // The channel publishes the child before the cluster knows it.
  const onChild = () => process.nextTick(look)
  const stop = () => { diagnosticsChannel.unsubscribe(CHILDREN, onChild) }
  const isWorker = clusterIfLoaded()?.isWorker ?? false
  if (!isPrimary && !isWorker) diagnosticsChannel.subscribe(CHILDREN, onChild)

  // Read now, as a worker whose primary dies gets another parent.
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
  // The list is undocumented. Without it node:cluster is loaded, which costs time but is correct.
  const isLoaded = moduleLoadList?.includes('NativeModule cluster') ?? true
  return isLoaded ? /** @type {any} */ (require('node:cluster')) : null
}

function hasWorkers () {
  return Object.keys(clusterIfLoaded()?.workers ?? {}).length > 0
}

exports.clusterIfLoaded = clusterIfLoaded
