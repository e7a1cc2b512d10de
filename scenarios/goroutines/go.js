'use strict'

const { execFile } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { promisify } = require('node:util')
const { codedErrorFrom } = require('../../lib/tables/errors')

const run = promisify(execFile)
const SOURCE = path.join(__dirname, 'server-go')
/** The folder of Go's own archive. Its installer leaves it to the user to add this to the PATH. */
const USUAL = '/usr/local/go/bin'

/** The go command, null where there is none. @param {NodeJS.ProcessEnv} [env] */
exports.findGo = (env = process.env) => [...(env.PATH ?? '').split(path.delimiter), USUAL].filter(Boolean)
  .map((dir) => path.join(dir, process.platform === 'win32' ? 'go.exe' : 'go'))
  .find((file) => fs.existsSync(file)) ?? null

exports.missing = 'go is not on the PATH: install it from https://go.dev/dl/'

/**
 * Builds the server into a temporary folder; Go's own cache makes the second time short.
 * @param {string} go
 * @param {AbortSignal} [signal]
 */
exports.buildServer = async (go, signal) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-go-'))
  const file = path.join(dir, 'server')
  try {
    // Its working folder too: a signal that ends it leaves that where it is.
    await run(go, ['build', '-o', file, '.'], { cwd: SOURCE, signal, env: { ...process.env, GOTMPDIR: dir } })
    const { stdout } = await run(go, ['env', 'GOVERSION'], { cwd: SOURCE, signal })
    return { dir, file, version: stdout.trim().replace(/^go/, '') }
  } catch (error) {
    // Its compilers go on until they have written: some seconds on a busy machine.
    await fs.promises.rm(dir, { recursive: true, force: true, maxRetries: 20 })
    throw codedErrorFrom(error, 'LOOPWATCH_ERR_TOOL_ENDED', 'go build', `has ended (exit code ${error.code})`, error.stderr || error.message)
  }
}
