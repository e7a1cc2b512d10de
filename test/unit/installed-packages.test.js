'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../support/files')
const { isInstalled } = require('../support/packages')

const LOCKED = {
  '': { name: 'tests' },
  'node_modules/one': { version: '1.0.0' },
  'node_modules/other-system': { version: '1.0.0', optional: true }
}
const INSTALLED = { 'node_modules/one': { version: '1.0.0' } }

/** @param {import('node:test').TestContext} t @param {object | null} installed */
function makeFolder (t, installed) {
  const dir = makeDir(t)
  const modules = path.join(dir, 'node_modules')
  fs.mkdirSync(modules)
  if (installed !== null) fs.writeFileSync(path.join(modules, '.package-lock.json'), JSON.stringify({ packages: installed }))
  const lock = path.join(dir, 'package-lock.json')
  fs.writeFileSync(lock, JSON.stringify({ packages: LOCKED }))
  fs.utimesSync(lock, new Date(), new Date(Date.now() + 60_000))
  return dir
}

test('packages that are there are not installed again after a checkout has written the lock file anew', (t) => {
  assert.equal(isInstalled(makeFolder(t, INSTALLED)), true)
})

test('packages that are missing, or have another version, are installed', (t) => {
  assert.equal(isInstalled(makeFolder(t, null)), false)
  assert.equal(isInstalled(makeFolder(t, {})), false)
  assert.equal(isInstalled(makeFolder(t, { 'node_modules/one': { version: '0.9.0' } })), false)
})
