'use strict'

// A coded error that comes from another error has that as its cause, whole.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const net = require('node:net')
const os = require('node:os')
const path = require('node:path')
const { once } = require('node:events')
const { addBlocks } = require('../../../lib/cli/look-commands')
const { follow } = require('../../../lib/cli/attach/follow')
const { checkEndpoint } = require('../../../lib/cli/common/ports')
const { makeOutputFolder } = require('../../../lib/cli/common/output')
const { codedError, codedErrorFrom, LoopwatchError } = require('../../../lib/tables/errors')
const { checkDatabase } = require('../../../scenarios/cluster-http/database/database')
const { checkWritable } = require('../../../scenarios/harness/run/output-file')
const { checkPort } = require('../../../scenarios/load/target/port')

/** That of lib/, of which tests have another version. */
const { Command } = require(require.resolve('commander', { paths: [path.join(__dirname, '..', '..', '..', 'lib')] }))

const NOWHERE = path.join(os.tmpdir(), 'loopwatch-no-such-folder')

/** @param {string} code @param {string} causeCode */
const from = (code, causeCode) => (/** @type {any} */ error) => {
  assert.ok(error instanceof LoopwatchError)
  assert.equal(error.code, code)
  assert.ok(error.cause instanceof Error, `${error.stack} has no cause`)
  assert.equal(/** @type {any} */ (error.cause).code, causeCode)
  return true
}

/** A port that is taken. @param {import('node:test').TestContext} t */
async function takePort (t) {
  const server = net.createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return /** @type {net.AddressInfo} */ (server.address()).port
}

test('a file or a folder that cannot be written is an error with that of the file system', () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-errors-')), 'file')
  fs.writeFileSync(file, '')
  assert.throws(() => makeOutputFolder('--output', path.join(file, 'cpu')), from('LOOPWATCH_ERR_OUTPUT', 'ENOTDIR'))
  assert.throws(() => checkWritable('--json', path.join(NOWHERE, 'x.json')), from('LOOPWATCH_ERR_OUTPUT', 'ENOENT'))
  fs.rmSync(path.dirname(file), { recursive: true })
})

test('a port that is taken is an error with that of the server, but not for an agent, which uses the next one', async (t) => {
  const port = await takePort(t)
  await checkEndpoint(port)
  await assert.rejects(checkPort(port, '--port'), from('LOOPWATCH_ERR_PORT', 'EADDRINUSE'))
})

test('an address of another machine is an error with that of the server', async () => {
  await assert.rejects(checkEndpoint(0, '203.0.113.1'), from('LOOPWATCH_ERR_OPTION', 'EADDRNOTAVAIL'))
})

test('a database that does not answer is an error with that of the connection', async () => {
  await assert.rejects(checkDatabase('postgres://user:secret@127.0.0.1:1/none'), (/** @type {any} */ error) => {
    assert.ok(!require('node:util').inspect(error).includes('secret'))
    return from('LOOPWATCH_ERR_DATABASE', 'ECONNREFUSED')(error)
  })
})

test('blocks that cannot be read or followed are errors with that of fetch()', async () => {
  const program = new Command()
  addBlocks(program)
  await assert.rejects(program.parseAsync(['node', 'loopwatch', 'blocks', 'http://127.0.0.1:10080']), (/** @type {any} */ error) => {
    assert.equal(error.code, 'LOOPWATCH_ERR_SOURCE')
    assert.equal(error.cause?.cause?.message, 'bad port')
    return true
  })
  const signals = /** @type {any} */ ({ isOver: false, sleep: () => Promise.resolve() })
  await assert.rejects(follow('http://127.0.0.1:10080', undefined, process.pid, signals), (/** @type {any} */ error) => {
    assert.equal(error.code, 'LOOPWATCH_ERR_ATTACH')
    assert.equal(error.cause?.cause?.message, 'bad port')
    return true
  })
})

test('an error without another one has no cause at all', () => {
  assert.ok(!('cause' in codedError('LOOPWATCH_ERR_OPTIONS', 1)))
  assert.ok(!('cause' in codedErrorFrom(undefined, 'LOOPWATCH_ERR_OPTIONS', 1)))
})
