'use strict'

const neostandard = require('neostandard')

/** Which built-ins belong to which room of lib/ (test/unit/layers.test.js has the import rules between rooms). */
const only = (name, rooms) => ({ name, message: `${name} is used in ${rooms} only` })
const http = only('node:http', 'lib/export/http')
const inspector = only('node:inspector', 'lib/watchdog/loop, lib/host/sense/profiler, lib/host/workers and lib/cli')
const perfHooks = only('node:perf_hooks', 'lib/host')
const restrict = (...paths) => ({ 'no-restricted-modules': ['error', { paths }] })

module.exports = [
  ...neostandard({ ignores: ['types/**', 'test/fixtures/mapped/**', 'lib/export/page/built/**', 'examples/*/dist/**', 'examples/nextjs/.next/**'] }),
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' }, rules: { strict: ['error', 'global'] } },
  { files: ['examples/nextjs/**/*.js'], languageOptions: { sourceType: 'module' }, rules: { strict: 'off' } },
  { files: ['lib/**/*.js'], rules: restrict(http, inspector, perfHooks) },
  { files: ['lib/host/**/*.js'], rules: restrict(http, inspector) },
  { files: ['lib/watchdog/**/*.js'], rules: restrict(http, perfHooks) },
  { files: ['lib/cli/**/*.js'], rules: restrict(http, perfHooks) },
  { files: ['lib/export/**/*.js'], rules: restrict(inspector, perfHooks) },
  { files: ['lib/export/page/source/**/*.mjs'], languageOptions: { globals: Object.fromEntries(['getComputedStyle', 'matchMedia', 'ResizeObserver'].map((name) => [name, 'readonly'])) } }
]
