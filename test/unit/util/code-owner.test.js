'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../../support/files')

test('the demo of an installed loopwatch is an application, what it depends on are packages', (t) => {
  const root = path.join(makeDir(t), 'node_modules', 'loopwatch')
  const copy = path.join(root, 'lib', 'util', 'code-owner.js')
  fs.mkdirSync(path.dirname(copy), { recursive: true })
  fs.copyFileSync(path.join(__dirname, '..', '..', '..', 'lib', 'util', 'code-owner.js'), copy)
  const { ownerOf, packageFolderOf, packageNameOf } = require(copy)
  const told = (/** @type {string[]} */ ...names) => {
    const file = path.join(...names)
    return [ownerOf({ file }), packageNameOf(file), packageFolderOf(file)]
  }
  assert.deepEqual(told(root, 'scenarios', 'demo', 'shop.js'), ['application', null, null])
  assert.deepEqual(told(root, 'lib', 'host', 'agent.js'), ['own', null, null])
  const nested = path.join(root, 'node_modules', 'pino')
  assert.deepEqual(told(nested, 'pino.js'), ['package', 'pino', nested])
  const other = path.join(path.dirname(root), 'express')
  assert.deepEqual(told(other, 'index.js'), ['package', 'express', other])
})
