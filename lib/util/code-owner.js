'use strict'

const path = require('node:path')

/** The folder of loopwatch, wherever it is installed. The demo in it is an application. */
const ROOT = path.join(__dirname, '..', '..')
const OWN = path.join(ROOT, 'lib') + path.sep
/** The folder of a package in a path: after the last `node_modules`, with the scope if there is one. */
const FOLDER = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?([^\\/]+)))(?:[\\/]|$)/s
/** Names of code from the command line or stdin, which is the application's own. */
const GIVEN = /^\[(worker )?(eval|stdin)/

/** @typedef {'own' | 'node' | 'package' | 'generated' | 'application'} Owner */

/**
 * The owner of a frame's code. Built-ins of V8 have no file and count as Node's, like WebAssembly, which has no lines.
 * Code made at run time (`new Function`, `vm`, template compilers) has a made-up name as its file.
 * @param {{ file: string | null }} frame @returns {Owner}
 */
exports.ownerOf = ({ file }) => {
  if (file === null || file.startsWith('node:') || file.startsWith('wasm:')) return 'node'
  if (file.startsWith(OWN)) return 'own'
  if (isGenerated(file)) return 'generated'
  return exports.isInPackage(file) ? 'package' : 'application'
}

/** @param {string} file */
function isGenerated (file) {
  if (file === '') return false
  return file.startsWith('eval at ') || !(path.win32.isAbsolute(file) || file.includes('://') || GIVEN.test(file))
}

/** Whether a package below our own folder, or anywhere else, has the file. @param {string} file */
exports.isInPackage = (file) =>
  /[\\/]node_modules[\\/]/.test(file.startsWith(ROOT + path.sep) ? file.slice(ROOT.length) : file)

/** The path in V8's name for code of `eval` or `new Function`, which ends in a line; else the file itself. */
exports.originOf = (/** @type {string} */ file) => file.replace(/^(?:eval at [^/\\(]*\()+/, '')

/** The innermost folder and name. Folders with a dot (`.pnpm`, `.vite`) belong to tools. @param {string} file */
const packageIn = (file) => {
  const [, folder, name, last] = FOLDER.exec(exports.originOf(file)) ?? []
  return folder === undefined || folder === ROOT || /^[.@]/.test(last)
    ? null
    : { folder, name: name.replace('\\', '/') }
}

/** The package that a file belongs to, the innermost if packages are nested; null for none. @param {string} file */
exports.packageNameOf = (file) => packageIn(file)?.name ?? null

/** The folder of that package. @param {string} file */
exports.packageFolderOf = (file) => {
  const folder = packageIn(file)?.folder
  return folder === undefined || folder === file ? null : folder
}
