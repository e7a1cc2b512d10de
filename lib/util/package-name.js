'use strict'

const PACKAGE = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/g

/**
 * The package that a file belongs to, the innermost if packages are nested; null for none. Folders with a dot (`.pnpm`)
 * belong to tools.
 * @param {string} file
 */
exports.packageNameOf = (file) => {
  const name = [...file.matchAll(PACKAGE)].at(-1)?.[1].replace('\\', '/')
  return name === undefined || name.startsWith('.') ? null : name
}
