'use strict'

/** @param {string} names @param {(name: string) => string} twinOf @returns {[string, string][]} */
const each = (names, twinOf) => names.split(' ').map((name) => [`${name}Sync`, twinOf(name)])

/** Synchronous functions of Node.js, each with its non-blocking equivalent. @type {Map<string, string>} */
exports.twins = new Map([
  ...each(
    'access appendFile chmod chown copyFile cp glob link lstat lutimes mkdir mkdtemp open opendir readFile readdir ' +
    'readlink realpath rename rm rmdir stat statfs symlink truncate unlink utimes writeFile',
    (name) => `fs.promises.${name}`),
  ...each('close fchmod fchown fdatasync fstat fsync ftruncate futimes read readv write writev', (name) => `the method of a FileHandle (fs.promises.open) for fs.${name}`),
  ...each('exists', () => 'fs.promises.access'),
  ...each('pbkdf2 scrypt hkdf generateKeyPair generateKey randomFill checkPrime generatePrime argon2', (name) => `crypto.${name} with a callback`),
  ...each('gzip gunzip deflate inflate deflateRaw inflateRaw unzip brotliCompress brotliDecompress zstdCompress zstdDecompress', (name) => `zlib.${name} with a callback, or a stream`),
  // bcryptjs has them as well, but no threads.
  ...each('hash compare genSalt', (name) => `${name}() of bcrypt`),
  ...each('exec execFile spawn', (name) => `child_process.${name}`)
])

/** A package and a module of Node.js that have only synchronous calls to a database file. */
exports.SYNC_DATABASE = /^(?:better-sqlite3|node:sqlite)$/

/** Packages with functions among `twins`. */
exports.HASHERS = /^(?:bcrypt|bcryptjs)$/
