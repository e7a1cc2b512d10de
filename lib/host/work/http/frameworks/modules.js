'use strict'

const diagnosticsChannel = require('node:diagnostics_channel')
const path = require('node:path')
const { setTimeout, clearTimeout } = require('node:timers')
const { nowMs } = require('../../../../util/clock')

/** Channel of every connection of every server, http2 included, before its first request. */
const CONNECTION = 'net.server.socket'
/** Interval of repeated searches, which doubles, for modules that are loaded later or without a server. */
const AGAIN_MS = 1000
const LAST_LOOK_MS = 64000
/**
 * Pause after a search, as a multiple of its time, in which new servers cause no other. Checking whether the cache has
 * grown would cost as much, as most of a search is listing the cache's names.
 */
const PAUSE_SHARE = 100

/**
 * Finds every copy of CommonJS modules that the application loads, by require() or import. Searches the loader's cache
 * as soon as the application's entry has run, at each server's first connection, and now and then. With many new
 * servers, as in the tests of an application, this takes 1% of the time.
 * @param {{ file: string[], onModule: (exports: any) => void }[]} wanted the ends of their file names
 */
exports.watchModules = (wanted) => {
  const find = createFinder(wanted)
  const servers = new WeakSet()
  let waitMs = AGAIN_MS
  let pauseEndsMs = 0

  /** @param {any} message */
  const onConnection = ({ socket }) => {
    if (!socket?.server || servers.has(socket.server)) return
    servers.add(socket.server)
    const startMs = nowMs()
    if (startMs < pauseEndsMs) {
      clearTimeout(timer)
      timer = setTimeout(onTime, pauseEndsMs - startMs).unref()
      return
    }
    find()
    const endMs = nowMs()
    pauseEndsMs = endMs + (endMs - startMs) * PAUSE_SHARE
  }
  const onTime = () => {
    find()
    timer = setTimeout(onTime, waitMs).unref()
    waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)
  }

  diagnosticsChannel.subscribe(CONNECTION, onConnection)
  let timer = setTimeout(onTime, 0).unref()
  return {
    stop: () => {
      clearTimeout(timer)
      diagnosticsChannel.unsubscribe(CONNECTION, onConnection)
    }
  }
}

/** @typedef {{ end: string, onModule: (exports: any) => void }} End of a file's name */

/** @param {{ file: string[], onModule: (exports: any) => void }[]} wanted @returns {() => void} reports new modules */
function createFinder (wanted) {
  /** Ends by the last part of the name: a large application has thousands of modules. @type {Map<string, End[]>} */
  const ends = new Map()
  for (const { file, onModule } of wanted) {
    const name = /** @type {string} */ (file.at(-1))
    ends.set(name, [...ends.get(name) ?? [], { end: path.sep + file.join(path.sep), onModule }])
  }
  const reported = new WeakSet()

  /** @param {string} file @param {(exports: any) => void} onModule */
  const tryTake = (file, onModule) => {
    try {
      const { loaded, exports } = /** @type {NodeJS.Module} */ (require.cache[file])
      if (!loaded || reported.has(exports)) return
      reported.add(exports)
      onModule(exports)
    } catch {
      // Another module in a file of that name. An error thrown here would end the application.
    }
  }
  return () => {
    try {
      // A single executable application's require() has no cache.
      for (const file of Object.keys(require.cache ?? {})) {
        const alike = ends.get(file.slice(file.lastIndexOf(path.sep) + 1)) ?? []
        for (const { end, onModule } of alike) if (file.endsWith(end)) tryTake(file, onModule)
      }
    } catch {
      // The application has replaced a method of strings or arrays.
    }
  }
}
