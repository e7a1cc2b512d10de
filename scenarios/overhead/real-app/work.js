'use strict'

// The work of a request: one of these, in rotation. Each takes some milliseconds in code of packages.
const crypto = require('node:crypto')

/** npm packages that the application loads. */
exports.packages = ['typescript', 'webpack', '@babel/core', '@babel/preset-env', 'eslint', 'mongoose']

/** Source that is compiled, as a server of an editor or of templates does. */
const SOURCE = `
const items = new Map()
const add = (name, { count = 1, ...rest } = {}) => items.set(name, { count, ...rest })
module.exports = async () => [...items.values()].reduce((sum, { count, price }) => sum + count * (price ?? 0), 0)
`

/** The state of one invoice. @param {number} lines */
const invoice = (lines) => ({
  number: 'I-2026-1',
  customer: { name: 'Ada', mail: 'ada@shop.example' },
  lines: Array.from({ length: lines }, (_, i) => ({ article: `article ${i}`, count: i + 1, cents: 100 * i }))
})
const LINES = 10

/** @returns {() => string} */
function makeTypescript () {
  const typescript = require('typescript')
  const compilerOptions = { module: typescript.ModuleKind.CommonJS, target: typescript.ScriptTarget.ES2020 }
  return () => typescript.transpileModule(SOURCE, { compilerOptions }).outputText
}

/** @returns {() => string} */
function makeBabel () {
  const babel = require('@babel/core')
  const options = { presets: [[require('@babel/preset-env'), { targets: { node: '14' } }]], configFile: false, babelrc: false }
  return () => babel.transformSync(SOURCE, options).code
}

/** @returns {() => string} */
function makeEslint () {
  const { Linter } = require('eslint')
  const linter = new Linter()
  const rules = Object.fromEntries(['no-undef', 'no-unused-vars', 'prefer-const', 'semi'].map((rule) => [rule, 'error']))
  return () =>
    JSON.stringify(
      linter.verify(SOURCE, [{ rules: /** @type {any} */ (rules) }]).map(({ ruleId, line }) => [ruleId, line])
    )
}

/** @returns {() => Promise<string>} */
function makeMongoose () {
  const { Schema, model } = require('mongoose')
  const Invoice = model('Invoice', new Schema({
    number: { type: String, required: true, match: /^I-\d{4}-\d+$/ },
    customer: { name: { type: String, trim: true, required: true }, mail: { type: String, lowercase: true } },
    lines: [{ article: { type: String, maxlength: 80 }, count: { type: Number, min: 1 }, cents: Number, _id: false }]
  }))
  return async () => {
    const document = new Invoice(invoice(LINES))
    await document.validate()
    const { _id, ...plain } = document.toObject()
    return JSON.stringify(plain)
  }
}

/**
 * Its compiler is there with all its plugins, as in a server of a build; compiling files would measure the disk.
 * @returns {() => string}
 */
function makeWebpack () {
  const webpack = require('webpack')
  const config = { mode: 'production', entry: __filename, target: 'node', module: { rules: [{ test: /\.ts$/, use: [] }] } }
  webpack(config)
  return () => {
    webpack.validate(config)
    return JSON.stringify(config.mode)
  }
}

/** @param {string} text */
const digest = (text) => crypto.createHash('sha1').update(text).digest('hex')

/** @returns {(() => string | Promise<string>)[]} */
const makeKinds = () => [makeTypescript(), makeBabel(), makeEslint(), makeMongoose(), makeWebpack()]

/**
 * The work of requests, one after the other: each gives a digest of what came out, and rejects where that is not what
 * came out the first time.
 * @param {(() => string | Promise<string>)[]} [kinds]
 * @returns {Promise<() => Promise<string>>}
 */
exports.makeWork = async (kinds = makeKinds()) => {
  /** @type {string[]} */
  const expected = []
  for (const kind of kinds) expected.push(digest(await kind()))
  let next = 0
  return async () => {
    const i = next++ % kinds.length
    const actual = digest(await kinds[i]())
    if (actual !== expected[i]) throw new Error(`work ${i} came to another result than the first time`)
    return actual
  }
}
