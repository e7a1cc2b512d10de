'use strict'

const { setImmediate: turn } = require('node:timers/promises')
const v8 = require('node:v8')
const vm = require('node:vm')

const SESSIONS = 300000
const CHUNK = 3000
const ROUNDS = 3

v8.setFlagsFromString('--expose-gc')
const collectGarbage = vm.runInNewContext('gc')

/** @type {Map<number, object>} */
const sessions = new Map()

/** Fills the store by small chunks, a turn of the event loop each: how not to block it. */
exports.openSessions = async () => {
  for (let id = 0; id < SESSIONS; id++) {
    sessions.set(id, { id, user: { name: `user ${id}` }, cart: [], seen: [{ page: id % 97 }] })
    if (id % CHUNK === 0) await turn()
  }
}

/** Drops the oldest, then "helps" the garbage collector, and again to be sure. */
exports.expireSessions = function expireSessions () {
  const [oldest] = sessions.keys()
  sessions.delete(oldest)
  for (let i = 0; i < ROUNDS; i++) collectGarbage()
  return { sessions: sessions.size }
}
