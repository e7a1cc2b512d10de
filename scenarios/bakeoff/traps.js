'use strict'

// What must not be blamed on code: node scenarios/bakeoff/traps.js [seconds]
// A minute of idling, of healthy load at full CPU, of a machine taken by others, and a process
// stopped for two seconds. Prints every block seen, by cause; `js` and `native` are false blame.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const os = require('node:os')
const path = require('node:path')
const readline = require('node:readline')
const { setTimeout: sleep } = require('node:timers/promises')
const { load } = require('../overhead/load')

const seconds = Number(process.argv[2] ?? 60)

async function startApp () {
  const app = spawn(process.execPath, [path.join(__dirname, 'app.js')], {
    env: { ...process.env, BAKEOFF_OPTIONS: JSON.stringify({ port: 0, log: false }) }, stdio: ['ignore', 'ignore', 'pipe']
  })
  const [ready] = await once(readline.createInterface(app.stderr), 'line')
  return { app, ...(JSON.parse(ready)) }
}

/** @type {Record<string, (app: Awaited<ReturnType<typeof startApp>>) => Promise<unknown>>} */
const traps = {
  idle: () => sleep(seconds * 1000),
  'healthy load at full CPU': ({ port }) => load(`http://127.0.0.1:${port}/calm`, seconds),
  'other processes take every core': async ({ port }) => {
    const hogs = Array.from({ length: os.availableParallelism() * 2 }, () => spawn(process.execPath, ['-e', 'for (;;);']))
    await load(`http://127.0.0.1:${port}/calm`, seconds)
    for (const hog of hogs) hog.kill('SIGKILL')
  },
  'stopped for 2 s, then continued': async ({ app }) => {
    for (let i = 0; i < Math.max(1, seconds / 6); i++) {
      app.kill('SIGSTOP')
      await sleep(2000)
      app.kill('SIGCONT')
      await sleep(1000)
    }
  }
}

async function main () {
  console.log(`Node ${process.version}, ${seconds} s each`)
  for (const [name, trap] of Object.entries(traps)) {
    const app = await startApp()
    await sleep(1500)
    await trap(app)
    await sleep(1000)
    const blocks = await (await fetch(`${app.url}/blocks`)).json()
    /** @type {Record<string, number>} */
    const causes = {}
    for (const { cause, startup } of blocks) if (!startup) causes[cause] = (causes[cause] ?? 0) + 1
    const blamed = blocks.filter((/** @type {any} */ { cause, startup }) => !startup && (cause === 'js' || cause === 'native'))
    console.log(`${name.padEnd(34)} ${JSON.stringify(causes)} ${blamed.length === 0 ? 'no false blame' : `FALSE BLAME ${JSON.stringify(blamed.map(({ durationMs, evidence, frame }) => ({ durationMs, evidence, frame })))}`}`)
    app.app.kill('SIGKILL')
  }
}

main()
