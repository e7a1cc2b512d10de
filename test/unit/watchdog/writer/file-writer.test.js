'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { FileWriter } = require('../../../../lib/watchdog/writer/file-writer')
const { eventually } = require('../../../support/app')
const { makeDir } = require('../../../support/files')

/** @param {Omit<ConstructorParameters<typeof FileWriter>[0], 'onState'>} parts */
function makeWriter (parts) {
  /** @type {(string | null)[]} */
  const states = []
  const writer = new FileWriter({ ...parts, onState: (error) => states.push(error && error.message) })
  return { writer, states }
}

test('lines handed over are in the file after end(), even if the thread was not up yet', async (t) => {
  const file = path.join(makeDir(t), 'log')
  const { writer, states } = makeWriter({ kind: 'log', target: file })
  for (let i = 0; i < 1000; i++) writer.write(`${i}\n`)
  await writer.end()
  // end() waits for less than a second, which a thread that begins on a busy machine may not be up by.
  const lines = await eventually(() => {
    const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''
    return text.endsWith('999\n') && text.split('\n').slice(0, -1)
  }, 'all lines')
  assert.deepEqual(lines.map(Number), Array.from({ length: 1000 }, (_, i) => i))
  writer.write('too late\n')
  assert.equal(writer.takeLost(), 1)
  assert.equal(writer.takeLost(), 0)
  assert.deepEqual(states.filter((each) => each !== null), [])
})

test('once the thread is up, a line is with the kernel when write() returns', async (t) => {
  const file = path.join(makeDir(t), 'log')
  const { writer } = makeWriter({ kind: 'log', target: file })
  t.after(() => writer.end())
  await eventually(() => fs.existsSync(file), 'the file')
  // A machine that has no CPU for the thread makes it late at times.
  let written = 0
  for (let i = 0; i < 20; i++) {
    writer.write(`${i}\n`)
    if (fs.readFileSync(file, 'utf8').endsWith(`${i}\n`)) written++
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.ok(written >= 10, `${written} of 20`)
})

test('a folder that cannot be written is reported, and its records are counted', async (t) => {
  const target = path.join(makeDir(t), 'file')
  fs.writeFileSync(target, '')
  const { writer, states } = makeWriter({ kind: 'records', target, name: 'blocks' })
  await eventually(() => states.length > 0, 'the state')
  for (let i = 0; i < 3; i++) writer.write('{}\n')
  await eventually(() => states.some((state) => state?.includes('EEXIST') || state?.includes('ENOTDIR')), () => states.join())
  await writer.end()
  assert.equal(writer.takeLost(), 3)
})

test('a thread that has ended is reported, and restarted after five seconds', async (t) => {
  const file = path.join(makeDir(t), 'log')
  t.mock.method(process, 'emitWarning', () => {})
  const started = once(process, 'worker')
  const { writer, states } = makeWriter({ kind: 'log', target: file })
  t.after(() => writer.end())
  const [worker] = await started
  await eventually(() => fs.existsSync(file), 'the file')
  await worker.terminate()
  await eventually(() => states.length > 0, 'the state')
  assert.match(`${states[0]}`, /thread ended/)
  writer.write('lost\n')
  assert.equal(writer.takeLost(), 1)
  await eventually(() => {
    writer.write('again\n')
    return fs.readFileSync(file, 'utf8').endsWith('again\n')
  }, 'the line', 20000)
  await eventually(() => states.at(-1) === null, 'that it works again')
})
