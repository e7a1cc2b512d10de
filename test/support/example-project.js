'use strict'

// The examples as their users have them.
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('./files')

const ROOT = path.join(__dirname, '..', '..')
const EXAMPLES = path.join(ROOT, 'examples')

/**
 * Copies of the examples beside packages as an application has them: loopwatch is this checkout, with its types.
 * @param {import('node:test').TestContext} t
 */
exports.makeProject = async (t) => {
  const dir = fs.realpathSync(makeDir(t))
  const packages = path.join(dir, 'node_modules')
  fs.cpSync(EXAMPLES, dir, { recursive: true, filter: (file) => !/[\\/](node_modules|dist|\.next)$/.test(file) })
  const own = path.join(packages, 'loopwatch')
  fs.mkdirSync(own, { recursive: true })
  fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(own, 'package.json'))
  fs.symlinkSync(path.join(ROOT, 'lib'), path.join(own, 'lib'))
  const links = path.join(ROOT, 'test', 'node_modules')
  for (const name of fs.readdirSync(links)) {
    if (!name.startsWith('.') && !['@types', 'loopwatch'].includes(name)) fs.symlinkSync(path.join(links, name), path.join(packages, name))
  }
  fs.symlinkSync(path.join(ROOT, 'node_modules', '@types'), path.join(packages, '@types'))
  return dir
}

/** @param {string} log @returns {any[]} lines of finished blocks */
exports.closings = (log) => log.split('\n').slice(0, -1).filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  .filter(({ event, cause }) => ['settled', 'ended'].includes(event) && cause !== 'starved')

exports.EXAMPLES = EXAMPLES
exports.ROOT = ROOT
