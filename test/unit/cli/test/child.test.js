'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { windowsLine } = require('../../../../lib/cli/test/child')

/** What cmd.exe hands on: an escaped quote begins no text, and ^ takes the next character as it is. */
const parsed = (/** @type {string} */ line) => line.replace(/\^([^])/g, '$1')

test('in Windows an argument reaches the program as it is, and nothing in it is an order to cmd.exe', () => {
  for (const arg of ['two words', 'a & del x', '50%PATH%', 'say "hi"', 'C:\\dir\\', '^', '(a|b)>c', '']) {
    const line = windowsLine(['npx', 'jest', '-t', arg])
    assert.doesNotMatch(line, /(?<!\^)[&|<>"%()]/, line)
    const [, last] = /^npx "jest" "-t" "([^]*)"$/.exec(parsed(line)) ?? []
    assert.equal(last.replace(/\\"/g, '"').replace(/\\\\$/, '\\'), arg)
  }
  assert.equal(parsed(windowsLine(['C:\\Program Files\\node.exe', 'a'])), 'C:\\Program Files\\node.exe "a"')
})
