'use strict'

const neostandard = require('neostandard')

/** Which built-ins belong to which room of lib/ (the import rule between rooms is test/layers.test.js). */
const only = (name, rooms) => ({ name, message: `${name} is used in ${rooms} only` })
const http = only('node:http', 'lib/export')
const inspector = only('node:inspector', 'lib/watchdog and lib/tools')
const perfHooks = only('node:perf_hooks', 'lib/host')
const restrict = (...paths) => ({ 'no-restricted-modules': ['error', { paths }] })

module.exports = [
  ...neostandard({ ignores: ['types/**', 'test/fixtures/mapped/**', 'lib/export/page/built/**'] }),
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' }, rules: { strict: ['error', 'global'] } },
  { files: ['lib/**/*.js'], rules: restrict(http, inspector, perfHooks) },
  { files: ['lib/host/**/*.js'], rules: restrict(http, inspector) },
  { files: ['lib/watchdog/**/*.js'], rules: restrict(http, perfHooks) },
  { files: ['lib/tools/**/*.js'], rules: restrict(http, perfHooks) },
  { files: ['lib/export/**/*.js'], rules: restrict(inspector, perfHooks) },
  { files: ['lib/export/page/source/*.mjs'], languageOptions: { globals: Object.fromEntries(['getComputedStyle', 'matchMedia', 'ResizeObserver'].map((name) => [name, 'readonly'])) } }
]
