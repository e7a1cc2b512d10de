'use strict'

// What `bakeoff --generated` draws and how it judges. test/scenarios/generated.test.js runs programs.
const test = require('node:test')
const assert = require('node:assert/strict')
const vm = require('node:vm')
const { cpuMs, LineClock } = require('../../../scenarios/bakeoff/generated/clock')
const { families } = require('../../../scenarios/bakeoff/generated/families')
const { builtIns } = require('../../../scenarios/bakeoff/generated/families/built-ins')
const { decoys } = require('../../../scenarios/bakeoff/generated/families/decoys')
const { functions } = require('../../../scenarios/bakeoff/generated/families/functions')
const { kinds } = require('../../../scenarios/bakeoff/generated/kinds')
const { draw, FORMS, kindOf, write } = require('../../../scenarios/bakeoff/generated/program')
const { judge, summarise } = require('../../../scenarios/bakeoff/generated/score')
const { scenario } = require('../../../scenarios/bakeoff/scenario')
const { makeRecord } = require('../../support/record')

const SIZES = { size: 3, filler: 10, iterations: 5 }

test('a seed draws the same programs again, and another one draws others', () => {
  const drawn = (/** @type {number} */ seed) => Array.from({ length: 20 }, (_, i) => draw(seed, i))
  assert.deepEqual(drawn(7), drawn(7))
  assert.notDeepEqual(drawn(7), drawn(8))
})

test('every kind in every form is a program whose marked line is in the function around it', () => {
  for (const { name } of kinds) {
    for (const form of Object.keys(FORMS)) {
      const design = { ...draw(1, 1), kind: name, form, fillers: 2, before: 1, style: /** @type {const} */ ('declares') }
      const { text, lines, functions } = write(design, SIZES)
      assert.doesNotThrow(() => new vm.Script(`(function (require, exports, __filename) {${text}})`), `${name} in ${form}`)
      const row = text.split('\n')[lines[0] - 1]
      const kind = kindOf(design)
      if (kind.helper === undefined) assert.ok(row.includes(kind.call.replaceAll('SIZE', '3')), `${name} in ${form}: ${row}`)
      const [[from, to]] = functions
      assert.ok(from > 0 && from < lines[0] && to > lines[0], `${name} in ${form}: ${from} to ${to} around ${lines[0]}`)
    }
  }
})

test('with clocks, a program measures the marked line and each of the others', () => {
  const design = { ...draw(1, 1), kind: 'JSON.parse', form: 'for', fillers: 3, before: 1 }
  const { text } = write(design, SIZES, true)
  assert.deepEqual([...text.matchAll(/end\((\d)\)/g)].map(([, line]) => line).sort(), ['0', '1', '2', '3'])
})

const FRAME = { function: 'handle', file: '/srv/program.cjs', line: 8, column: 3, exact: true }
const truth = /** @type {any} */ ({ file: FRAME.file, folder: '/srv', lines: [8], functions: [[5, 12]], cause: ['js'], share: 1, owner: null, place: 'timer' })
/** A verdict on a block of 200 ms. @param {object} differences */
const verdict = (differences) => {
  const startedAt = new Date(1000000).toISOString()
  const record = makeRecord({ startedAt, durationMs: 200, startup: false, thread: 'main', cause: 'js', frame: FRAME, work: null, ...differences })
  return judge({ startMs: 1000000, endMs: 1000200 }, [record], truth)
}

test('a line is right, in doubt, or certain and wrong; a cause of the machine is not held against the agent', () => {
  assert.deepEqual([verdict({}).line, verdict({ frame: { ...FRAME, exact: false } }).line], ['right', 'doubted'])
  assert.deepEqual([verdict({ frame: { ...FRAME, line: 9 } }).line, verdict({ frame: { ...FRAME, line: 9 } }).function], ['wrong', 'right'])
  assert.deepEqual([verdict({ frame: { ...FRAME, line: 20 } }).function, verdict({ frame: null }).line], ['wrong', 'none'])
  assert.deepEqual([verdict({ cause: 'gc' }).isCause, verdict({ cause: 'unknown' }).isCause], [false, true])
  assert.equal(judge({ startMs: 2000000, endMs: 2000200 }, [], truth).isFound, false)
})

test('a block is calm if it waited for a CPU for up to 40% of its time, busy up to 85%, and then the machine\'s', () => {
  const waiting = (/** @type {number} */ runQueueMs, differences = {}) =>
    verdict({ evidence: { ...makeRecord().evidence, runQueueMs }, ...differences })
  assert.deepEqual([80, 81, 170, 171].map((ms) => waiting(ms).load), ['calm', 'busy', 'busy', 'excused'])
  // The place is judged, whatever the cause.
  const starved = waiting(120, { cause: 'starved', parts: { js: 80, native: 0, gc: 0, waiting: 120, asleep: 0, stopped: 0, unexplained: 0 } })
  assert.deepEqual([starved.load, starved.line, starved.isCause], ['busy', 'right', true])
  assert.equal(waiting(120, { cause: 'starved', frame: null }).load, 'excused')
})

test('programs of every family can be read by V8, with and without clocks, and have their marked line', () => {
  for (const [name, family] of Object.entries({ builtIns, decoys, functions })) {
    for (let index = 0; index < 60; index++) {
      const design = /** @type {any} */ (family.draw(7, index))
      for (const isTimed of [false, true]) {
        const { text, lines } = family.write(design, { sizes: [3, 4, 5, 6], iterations: 5 }, isTimed)
        assert.doesNotThrow(() => new vm.Script(`(function (require, exports) {${text}})`), `${name} ${index}: ${text}`)
        assert.ok(isTimed || lines.length > 0, `${name} ${index}`)
      }
    }
  }
})

test('every family can be chosen on the command line', () => {
  const option = scenario.options?.find(({ flags }) => flags.startsWith('--family'))
  assert.equal(option?.description.split(': ')[1], Object.keys(families).join(', '))
})

test('in a program of several functions, the hot line and the call of its function are right', () => {
  const { text, lines } = functions.write(functions.draw(7, 3), { sizes: [3, 4, 5, 6], iterations: 5 })
  const rows = text.split('\n')
  assert.ok(lines.some((line) => rows[line - 1].includes('acc += load(i)')), text)
  assert.ok(lines.length >= 2)
})

test('a clock of lines counts the time that the thread computes, and none in which it sleeps', () => {
  const clock = new LineClock()
  clock.begin()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  clock.end(1)
  clock.begin()
  for (const endMs = cpuMs() + 20; cpuMs() < endMs;);
  clock.end(0)
  assert.ok(clock.ms[0] >= 10 && clock.ms[1] < clock.ms[0], `${clock.ms}`)
})

test('shares are of the blocks that were found, and each certain and wrong one is named', () => {
  const design = { ...draw(1, 3), kind: 'split', form: 'for' }
  const verdicts = [verdict({}), verdict({ frame: { ...FRAME, line: 9 } })]
  const { value, extra } = /** @type {any} */ (summarise([{ design, verdicts }]))
  assert.deepEqual([value, extra.line, extra.exactLine, extra.certainAndWrong, extra.wrongLine], [100, 50, 50, 1, 50])
  assert.equal(extra['miss 3.1: split in for'], 1)
  assert.deepEqual([extra['calm n'], extra['calm certain and wrong'], extra['calm right at all'], extra['busy n']], [2, 50, 50, 0])
})
