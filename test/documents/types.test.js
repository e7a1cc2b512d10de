'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')

const TEST = path.join(__dirname, '..')
const root = require('../../package.json')

test('types are checked without the packages that only tests and scenarios have: each is declared as untyped', () => {
  const declared = fs.readFileSync(path.join(TEST, 'types', 'untyped.d.ts'), 'utf8')
  for (const folder of [TEST, path.join(TEST, '..', 'scenarios')]) {
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
    // The root brings the types of its own dependencies, and of some others.
    const isTyped = (/** @type {string} */ name) => name in root.dependencies || `@types/${name}` in root.devDependencies
    for (const name of Object.keys(dependencies).filter((each) => !isTyped(each))) assert.ok(declared.includes(`declare module '${name}'\n`), `add to test/types/untyped.d.ts: declare module '${name}'`)
  }
})
