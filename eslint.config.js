'use strict'

const neostandard = require('neostandard')

/**
 * Which built-ins belong to which files of lib/, however they are loaded. test/unit/layers.test.js says the same, and
 * has the import rules between rooms.
 */
const BUILT_INS = {
  http: { name: 'node:http', files: ['lib/export/http/**', 'lib/export/http-client.js'] },
  inspector: {
    name: 'node:inspector',
    // The watchdog's session with the host; the host's with itself, for its CPU profile; a command's own.
    files: [
      'lib/watchdog/loop/inspector.js',
      'lib/host/sense/profile/profiler.js',
      'lib/cli/profile/cpu-thread.js'
    ]
  },
  perfHooks: { name: 'node:perf_hooks', files: ['lib/host/**'] }
}

/** An error that is caught is the cause of the coded one: its stack and its code tell more than its message. */
const CAUSES = {
  selector: "CatchClause[param] CallExpression[callee.name='codedError']",
  message: 'codedErrorFrom() keeps the error that was caught as the cause'
}

const NESTED = {
  selector: 'ConditionalExpression > ConditionalExpression > ConditionalExpression',
  message: 'a conditional expression has two levels at the most'
}

/** @param {(keyof typeof BUILT_INS)[]} kinds that the files may not have */
const without = (...kinds) => {
  const rules = kinds.map((kind) => BUILT_INS[kind]).map(({ name, files }) => ({
    name,
    selector: `CallExpression[callee.property.name='getBuiltinModule'][arguments.0.value='${name}']`,
    message: `${name} is for ${files.join(', ')} only`
  }))
  return {
    'no-restricted-modules': ['error', { paths: rules.map(({ name, message }) => ({ name, message })) }],
    'no-restricted-syntax': ['error', CAUSES, NESTED, ...rules.map(({ selector, message }) => ({ selector, message }))]
  }
}

/** Outside lib/, texts that are searched for whole may be longer than 120 columns. */
const SHORT_LINES = {
  code: 120,
  ...Object.fromEntries(['Urls', 'Strings', 'TemplateLiterals', 'RegExpLiterals'].map((kind) => [`ignore${kind}`, true]))
}

/** Sentences that begin so have their subject far behind, or none. */
const RIDDLE = /^[*\s]*(Of|As of|So many|So much|Nor|Whoever)\b/

/** A comment begins with what it is about. @type {import('eslint').Rule.RuleModule} */
const plainComments = {
  create: ({ report, sourceCode }) => ({
    Program: () => {
      for (const comment of sourceCode.getAllComments()) {
        const opening = RIDDLE.exec(comment.value)?.[1]
        if (opening !== undefined) report({ loc: /** @type {any} */ (comment.loc), message: `a comment does not begin with "${opening}"` })
      }
    }
  })
}

module.exports = [
  ...neostandard({
    ignores: [
      'lib/declarations/**',
      'test/fixtures/mapped/**',
      'examples/*/dist/**',
      'examples/nextjs/.next/**'
    ]
  }),
  { files: ['**/*.js'], languageOptions: { sourceType: 'commonjs' }, rules: { strict: ['error', 'global'] } },
  { files: ['examples/nextjs/**/*.js'], languageOptions: { sourceType: 'module' }, rules: { strict: 'off' } },
  { files: ['lib/**/*.js'], rules: without('http', 'inspector', 'perfHooks') },
  { files: BUILT_INS.http.files, rules: without('inspector', 'perfHooks') },
  { files: BUILT_INS.perfHooks.files, rules: without('http', 'inspector') },
  { files: BUILT_INS.inspector.files, rules: without('http', 'perfHooks') },
  { files: ['scenarios/**/*.js', '**/*.mjs'], rules: { 'no-restricted-syntax': ['error', CAUSES, NESTED] } },
  {
    files: ['lib/**/*.{js,mjs}', 'grafana/**/*.js'],
    plugins: { loopwatch: { rules: { 'plain-comments': plainComments } } },
    rules: { 'loopwatch/plain-comments': 'error' }
  },
  { files: ['**/*.{js,mjs,cjs}'], rules: { '@stylistic/max-len': ['error', SHORT_LINES] } },
  { files: ['lib/**/*.{js,mjs}'], rules: { '@stylistic/max-len': ['error', { code: 120 }] } },
  {
    files: ['lib/export/page/source/**/*.mjs'],
    languageOptions: { globals: { getComputedStyle: 'readonly', matchMedia: 'readonly', ResizeObserver: 'readonly' } }
  }
]
