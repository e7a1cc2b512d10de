'use strict'

/** Synchronous functions of node:crypto that take time. */
const CRYPTO = [
  'pbkdf2Sync', 'scryptSync', 'argon2Sync', 'generateKeyPairSync', 'generateKeySync', 'generatePrimeSync',
  'checkPrimeSync'
]
const SQLITE = {
  DatabaseSync: ['exec', 'prepare', 'open', 'applyChangeset', 'loadExtension'],
  StatementSync: ['all', 'get', 'iterate', 'run']
}
const NO_TWIN = 'a worker thread'
const FS_TWINS = new Map([['existsSync', 'fs.promises.access']])

/** @typedef {(call: string, twin: string, wrapper: Function) => void} Note */

/** @param {any} owner @param {string} name @param {string} call @param {string} twin @param {Note} note of each call */
function wrapMethod (owner, name, call, twin, note) {
  const original = owner?.[name]
  if (typeof original !== 'function') return
  const wrapper = {
    /** @this {unknown} @param {unknown[]} args */
    [name] (...args) {
      note(call, twin, wrapper)
      return Reflect.apply(original, this, args)
    }
  }[name]
  const { prototype, ...properties } = Object.getOwnPropertyDescriptors(original)
  Object.defineProperties(wrapper, properties)
  Reflect.defineProperty(owner, name, { ...Object.getOwnPropertyDescriptor(owner, name), value: wrapper })
}

/** @param {any} fs @param {string} name */
function fsTwin (fs, name) {
  const twin = name.replace(/Sync$/, '')
  return FS_TWINS.get(name) ?? (typeof fs.promises[twin] === 'function' ? `fs.promises.${twin}` : `fs.${twin}`)
}

/** @param {any} module */
const syncNames = (module) => Object.keys(module ?? {}).filter((name) => name.endsWith('Sync'))

/** @param {any} sqlite @param {Note} note */
function wrapSqlite (sqlite, note) {
  if (sqlite === undefined) return
  for (const [name, methods] of Object.entries(SQLITE)) {
    for (const method of methods) wrapMethod(sqlite[name]?.prototype, method, `sqlite.${name}.${method}`, NO_TWIN, note)
  }
  const wrapper = new Proxy(sqlite.DatabaseSync, {
    construct: (target, args, newTarget) => {
      note('new sqlite.DatabaseSync', NO_TWIN, /** @type {Function} */ (/** @type {unknown} */ (undefined)))
      return Reflect.construct(target, args, newTarget)
    }
  })
  const original = Object.getOwnPropertyDescriptor(sqlite, 'DatabaseSync')
  Reflect.defineProperty(sqlite, 'DatabaseSync', { ...original, value: wrapper })
}

/** @param {Note} note */
exports.wrapSync = (note) => ({
  /** @param {{ fs: any, load: (name: string) => any }} from load returns undefined for a missing module */
  modules: ({ fs, load }) => {
    wrapMethod(fs.realpathSync, 'native', 'fs.realpathSync.native', 'fs.promises.realpath', note)
    for (const name of syncNames(fs)) wrapMethod(fs, name, `fs.${name}`, fsTwin(fs, name), note)
    for (const of of ['child_process', 'zlib']) {
      const module = load(`node:${of}`)
      for (const name of syncNames(module)) {
        wrapMethod(module, name, `${of}.${name}`, `${of}.${name.replace(/Sync$/, '')}`, note)
      }
    }
    const crypto = load('node:crypto')
    for (const name of CRYPTO) wrapMethod(crypto, name, `crypto.${name}`, `crypto.${name.replace(/Sync$/, '')}`, note)
    wrapSqlite(load('node:sqlite'), note)
  },
  /** Each context has its own Atomics. @param {any} global */
  atomics: (global) => wrapMethod(global.Atomics, 'wait', 'Atomics.wait', 'Atomics.waitAsync', note)
})
