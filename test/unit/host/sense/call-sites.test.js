'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { noteStack, readNote, restoreError, sitesOf } = require('../../../../lib/host/sense/call-sites')

const ofError = () => JSON.stringify(['stackTraceLimit', 'prepareStackTrace'].map((name) => Object.getOwnPropertyDescriptor(Error, name) ?? null))

function note () {
  return noteStack(note, 5)
}

/** A note whose reading is interrupted, as by the probe. @param {() => void} interrupt */
const interrupted = (interrupt) => ({
  get stack () {
    interrupt()
    return /** @type {{ stack?: unknown }} */ (note()).stack
  }
})

test('a stack that is read on top of another reading takes nothing from it', () => {
  const before = ofError()
  let inner = /** @type {unknown} */ (null)
  const sites = sitesOf(interrupted(() => { inner = readNote(note()) }))
  assert.equal(typeof inner, 'object')
  assert.equal(sites[0]?.getFileName(), __filename)
  assert.equal(ofError(), before)
})

test('what a terminated call left behind is restored by the next one of the hook', () => {
  const before = ofError()
  assert.throws(() => sitesOf(interrupted(() => { throw new Error('ends here') })))
  restoreError()
  assert.equal(ofError(), before)
  assert.equal(sitesOf(note())[0]?.getFileName(), __filename)
})
