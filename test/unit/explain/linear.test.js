'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { builtinIn } = require('../../../lib/explain/source/builtins')
const { bodyAfter, nameAt, routesAt } = require('../../../lib/explain/source/function-names')
const { bodyOf, functionAround } = require('../../../lib/explain/source/function-text')
const { pairsIn, regExpsIn } = require('../../../lib/explain/source/javascript')
const { mayCallOther, onlyCallIn, traitsOf } = require('../../../lib/explain/source/line-text')
const { hasNestedQuantifiers, patternsIn } = require('../../../lib/explain/source/pattern')

/** Texts of one kind of character, as generated and minified files have them. */
const KINDS = {
  blanks: ' ',
  newlines: '\n',
  tabs: '\t',
  quotes: "'",
  'double quotes': '"',
  backticks: '`',
  backslashes: '\\',
  'opening brackets': '(',
  'closing brackets': ')',
  slashes: '/',
  letters: 'a',
  identifiers: 'ab ',
  'spread dots': '... ',
  'escaped quotes': "'\\",
  'beginnings of comments': '/*',
  'beginnings of classes': '/[',
  'beginnings of expressions': '${',
  'regular expressions': '= /a',
  'one long line of calls': 'a(b);'
}

/** What reads the text of an application. @type {Record<string, (text: string) => unknown>} */
const READERS = {
  pairsIn,
  regExpsIn,
  'a function\'s name': (text) => nameAt(text, text.length >> 1),
  'routes of a handler': (text) => routesAt(text, text.length >> 1),
  'the body of an entered function': (text) => bodyAfter(text, 0),
  'the body of a loop': (text) => bodyOf(text.split('\n'), 1),
  builtinIn: (text) => builtinIn(text),
  mayCallOther: (text) => mayCallOther(text),
  onlyCallIn: (text) => onlyCallIn(text),
  'the traits of a line': (text) => traitsOf(text),
  'the function around a line': (text) => functionAround(text.split('\n'), 1),
  'patterns of a line': (text) => patternsIn(text, text.split('\n')),
  hasNestedQuantifiers
}

const KB = 1024
const SMALL = 32 * KB
const LARGE = 256 * KB
/** Eight times the text takes sixty-four times as long if each character looks at all others. */
const MOST_TIMES = 30
/** Less than this is the clock, the collector and other processes. */
const LEAST_MS = 1000

/** The fastest of some runs. @param {() => unknown} step @param {number} runs */
function msOf (step, runs) {
  let leastMs = Infinity
  for (let i = 0; i < runs; i++) {
    const startMs = performance.now()
    step()
    leastMs = Math.min(leastMs, performance.now() - startMs)
  }
  return leastMs
}

for (const [name, read] of Object.entries(READERS)) {
  test(`${name}: the time is in proportion to the text, whatever it consists of`, () => {
    for (const [kind, piece] of Object.entries(KINDS)) {
      const [small, large] = [SMALL, LARGE].map((chars) => piece.repeat(chars / piece.length))
      const smallMs = Math.max(msOf(() => read(small), 2), LEAST_MS / MOST_TIMES)
      const largeMs = msOf(() => read(large), 1)
      assert.ok(largeMs <= MOST_TIMES * smallMs, `${kind}: ${smallMs} ms for 32 kB, ${largeMs} ms for 256 kB`)
    }
  })
}
