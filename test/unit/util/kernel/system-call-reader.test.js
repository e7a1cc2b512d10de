'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const { KernelFile } = require('../../../../lib/util/kernel/file')
const { SystemCallReader } = require('../../../../lib/util/kernel/system-call-reader')

const OPEN = '2 0x7f01 0x0 0x0 0x0 0x0 0x0 0x7ffe150c3000 0x7fef3703cc4a\n'

test('memory is shown only if the call has lasted until it was read, and looks like a path', { skip: process.platform !== 'linux' && 'reads /proc' }, (t) => {
  /** @param {string[]} calls what the kernel says, one after the other @param {string} memory */
  const read = (calls, memory) => {
    const kernel = t.mock.method(KernelFile.prototype, 'read', () => calls.shift() ?? OPEN)
    const file = t.mock.method(fs, 'readSync', (/** @type {number} */ _, /** @type {Buffer} */ buffer, /** @type {number} */ at) => at === 0 ? buffer.write(`${memory}\0`) : 0)
    const wait = new SystemCallReader('x64').read()
    for (const { mock } of [kernel, file]) mock.restore()
    return wait
  }
  assert.deepEqual(read([OPEN, OPEN], '/mnt/nfs/x'), { call: 'open', target: '/mnt/nfs/x', text: 'open of /mnt/nfs/x' })
  const ofNothing = { call: 'open', target: null, text: 'open' }
  assert.deepEqual(read([OPEN, 'running\n'], '/home/somebody'), ofNothing)
  assert.deepEqual(read([OPEN, OPEN.replace('0x7f01', '0x7f02')], '/home/somebody'), ofNothing)
  assert.deepEqual(read([OPEN, OPEN], 'Bearer s3cr3t-token'), ofNothing)
})
