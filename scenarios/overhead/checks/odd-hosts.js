'use strict'

// Unusual applications, each bare and with the preload: exit code, signal and both outputs must be the same.
//   node scenarios/overhead/checks/odd-hosts.js                 all of them on this Node.js
//   node scenarios/overhead/checks/odd-hosts.js frozen ulimit   those with one of these words in their title
// Prints each pair that differs, and exits with 1 if there is one. TEST_NODE=<path> takes another Node.js.
const { spawn } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const PRELOAD = path.join(__dirname, '..', '..', '..', 'lib', 'register.js')
const NODE = process.env.TEST_NODE ?? process.execPath
const LONGEST_MS = 30000
/** Two pairs at a time keep two cores busy while applications wait. */
const AT_ONCE = 2
/** Warnings that docs/limits.md names: the agent says once that it does not watch, and why. */
const DOCUMENTED = /^\(node:\d+\) \[LOOPWATCH_\w+\] LoopwatchWarning: .*\n|^\(Use `node --trace-warnings .*\n/gm
/** Text that differs from run to run even without the agent. */
const VARIABLE = /\b\d{3,}\b|0x[0-9a-f]+|\/tmp\/\S+|^.*"event":.*\n/gm

const BLOCK = 'const block = (ms) => { const end = Date.now() + ms; while (Date.now() < end); }'
const LATER = `${BLOCK}; setTimeout(() => block(120), 150); setTimeout(() => console.log('ok'), 1000)`
const OF_WORKER = `${BLOCK}; setTimeout(() => { block(120); console.log('worker ok') }, 100)`
const worker = (/** @type {string} */ options) => `${LATER}
const { Worker } = require('node:worker_threads')
new Worker(${JSON.stringify(OF_WORKER)}, { eval: true, ${options} })
  .on('error', ({ code }) => console.log(code)).on('exit', (code) => console.log('exit', code))`
const cluster = (/** @type {string} */ inWorker) => `const cluster = require('node:cluster')
if (cluster.isPrimary) for (let i = 0; i < 2; i++) cluster.fork().on('exit', (code, signal) => console.log(code, signal))
else { ${inWorker} }`

/**
 * @typedef {object} Case
 * @property {string} [code] of the application @property {string[]} [flags] of Node.js
 * @property {string} [shell] what starts it instead of `exec "$@"`; `"$@"` is Node.js with its arguments
 * @property {Record<string, string>} [env] @property {string} [extension] of its file
 * @property {(folder: string) => Record<string, string>} [files] more files, by name
 * @property {boolean} [isDocumented] docs/understand/limits.md names the difference
 */

/** @type {Record<string, Case>} */
const CASES = {
  plain: {},
  'ends at once': { code: '' },
  'top-level error': { code: `${BLOCK}; block(100); throw new Error('mine')` },
  'error in a timer': { code: "setTimeout(() => { throw new TypeError('mine') }, 200)" },
  'process.exit in a block': { code: `${BLOCK}; setTimeout(() => { block(100); process.exit(3) }, 100)` },
  'exit code by process.exitCode': { code: `${LATER}; process.exitCode = 5` },
  'a block in exit': { code: `${LATER}; process.on('exit', () => { block(100); console.log('exit') })` },
  beforeExit: { code: `${LATER}; let n = 0; process.on('beforeExit', () => { if (n++ < 3) setTimeout(() => console.log(n), 50) })` },
  SIGTERM: { code: `${LATER}; setTimeout(() => process.kill(process.pid, 'SIGTERM'), 300)` },
  'SIGTERM handled': { code: `${LATER}; process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); setTimeout(() => process.kill(process.pid, 'SIGTERM'), 300)` },
  SIGKILL: { code: "setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300)" },
  'SIGUSR2 unhandled': { code: "setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 300)" },
  abort: { code: 'setTimeout(() => process.abort(), 300)', shell: 'ulimit -c 0; exec "$@"' },
  ...Object.fromEntries(['strict', 'warn', 'none', 'throw', 'warn-with-error-codes'].map((mode) => [`rejections: ${mode}`,
    { flags: [`--unhandled-rejections=${mode}`], code: `${LATER}; setTimeout(() => Promise.reject(new Error('mine')), 200)` }])),
  'frozen globalThis': { code: `${LATER}; Object.freeze(globalThis)` },
  'frozen prototypes': { code: `${LATER}; for (const each of [Object, Array, Function, Promise, Map, Error]) Object.freeze(each.prototype)` },
  'properties of Object.prototype': { code: `${LATER}; Object.prototype.extra = 1; Array.prototype.more = () => 2` },
  'frozen intrinsics': { flags: ['--frozen-intrinsics'] },
  'no __proto__': { flags: ['--disable-proto=throw'] },
  'no code generation': { flags: ['--disallow-code-generation-from-strings'] },
  jitless: { flags: ['--jitless'] },
  'stack of 200 kB': { flags: ['--stack-size=200'] },
  'stack overflow': { code: `${LATER}; setTimeout(() => { const f = () => f() + 1; try { f() } catch (error) { console.log(error.name) } }, 200)` },
  'a throwing prepareStackTrace': { code: `${LATER}; Error.prepareStackTrace = () => { throw new Error('mine') }` },
  'stackTraceLimit 0': { code: `Error.stackTraceLimit = 0; ${LATER}` },
  'Date replaced': { code: `${LATER.replaceAll('Date', 'RealDate')}; const RealDate = Date; globalThis.Date = class { static now () { return 0 } }` },
  'timers replaced': { code: `${LATER}; globalThis.setTimeout = globalThis.setInterval = globalThis.setImmediate = () => { throw new Error('fake') }` },
  'console removed': { code: `${LATER.replace('console.log', 'log')}; const { log } = console; delete globalThis.console` },
  'process removed': { code: `${LATER}; delete globalThis.process; setTimeout(() => { globalThis.process = undefined }, 100)` },
  'performance replaced': { code: `${LATER}; Object.defineProperty(globalThis, 'performance', { value: { now: () => 0 } })` },
  'process.env throws': { isDocumented: true, code: `${LATER}; process.env = new Proxy({}, { get () { throw new Error('env') } })` },
  'process.emit replaced': { code: `${LATER}; const { emit } = process; process.emit = function (...args) { return emit.apply(this, args) }` },
  'process.exit replaced': { code: `${LATER}; process.exit = () => { throw new Error('no') }` },
  'stdout replaced': { code: `${LATER}; const write = process.stdout.write; process.stdout.write = function (text, ...more) { return write.call(this, String(text).toUpperCase(), ...more) }` },
  'stdout closed': { shell: 'exec "$@" >&-' },
  'stderr closed': { shell: 'exec "$@" 2>&-' },
  'stdin closed': { shell: 'exec "$@" <&-' },
  'all closed': { shell: 'exec "$@" <&- >&- 2>&-' },
  'stdout full': { shell: 'exec "$@" > /dev/full' },
  'a reader that left': { shell: '{ "$@"; echo "code $?" >&2; } | true' },
  'stdin to its end': { code: `${LATER}; process.stdin.on('data', (data) => console.log(String(data))).on('end', () => console.log('end'))`, shell: 'echo hello | "$@"' },
  'working directory removed': { shell: 'mkdir gone; cd gone; rmdir ../gone; exec "$@"' },
  'working directory read-only': { shell: 'mkdir -p locked; chmod 500 locked; cd locked; exec "$@"' },
  'no HOME, no PATH': { shell: 'exec env -i LOOPWATCH_LOG=false LOOPWATCH_PORT=0 "$@"' },
  'TMPDIR missing': { env: { TMPDIR: '/nowhere' } },
  'ulimit -n 32': { shell: 'ulimit -n 32; exec "$@"' },
  'ulimit -n 24': { shell: 'ulimit -n 24; exec "$@"' },
  'ulimit -f 0': { shell: 'trap "" XFSZ; ulimit -f 0; exec "$@"' },
  'ulimit -v 1.3 GB': { shell: 'ulimit -v 1300000; exec "$@"' },
  'ulimit -v 1.6 GB': { shell: 'ulimit -v 1600000; exec "$@"' },
  'ulimit -v 2.1 GB': { shell: 'ulimit -v 2100000; exec "$@"' },
  'old space of 32 MB': { flags: ['--max-old-space-size=32'] },
  'out of memory': { flags: ['--max-old-space-size=32'], code: `${LATER}; const kept = []; setTimeout(setInterval, 1500, () => { for (let i = 0; i < 1e5; i++) kept.push({ i }) }, 1)`, shell: 'ulimit -c 0; "$@" 2> /dev/null; echo $?' },
  'one CPU': { shell: 'exec taskset -c 0 "$@"' },
  nice: { shell: 'exec nice -n 19 "$@"' },
  'a process group of its own': { shell: 'exec setsid -w "$@"' },
  'exec of another': { code: `${LATER}; require('node:child_process').execFileSync(process.execPath, ['-e', 'console.log(1)'], { stdio: 'inherit' })` },
  'fork that answers': { code: `${BLOCK}; if (process.send) { block(100); process.send('hi', () => process.disconnect()) } else require('node:child_process').fork(__filename).on('message', console.log).on('exit', (code) => console.log(code))` },
  'fork that is disconnected': { code: 'if (process.send) { process.on(\'disconnect\', () => { console.log(\'gone\'); process.exit(4) }); process.on(\'message\', () => {}); setInterval(() => {}, 1e6) } else { const child = require(\'node:child_process\').fork(__filename); child.on(\'exit\', (code) => console.log(code)); setTimeout(() => child.disconnect(), 400) }' },
  'spawn with a small env': { code: "require('node:child_process').spawn(process.execPath, ['-p', '1'], { env: {}, stdio: 'inherit' }).on('exit', (code) => console.log(code))" },
  cluster: { code: cluster(`${LATER}; setTimeout(() => process.exit(0), 700)`) },
  'cluster that disconnects': { code: cluster(`require('node:http').createServer().listen(0, () => { ${LATER}; setTimeout(() => cluster.worker.disconnect(), 600) })`) },
  'cluster whose workers fail': { code: cluster("setTimeout(() => { throw new Error('mine') }, 200)"), shell: '"$@" 2> /dev/null; echo $?' },
  worker: { code: worker('') },
  'worker of 8 MB': { code: worker('resourceLimits: { maxOldGenerationSizeMb: 8 }') },
  'worker with a small stack': { code: worker('resourceLimits: { stackSizeMb: 1 }') },
  'worker with its stdout': { code: worker('stdout: true, stderr: true') },
  'worker without env': { code: worker('env: {}') },
  'worker with flags': { code: worker("execArgv: ['--no-warnings']") },
  'worker with trackUnmanagedFds off': { code: worker('trackUnmanagedFds: false') },
  'worker that fails': { code: `${LATER}; new (require('node:worker_threads').Worker)("throw new Error('mine')", { eval: true }).on('error', ({ message }) => console.log(message))` },
  'worker that is terminated': { code: `${LATER}; const w = new (require('node:worker_threads').Worker)('while (true);', { eval: true }); w.on('online', () => setTimeout(() => w.terminate().then((code) => console.log(code)), 300))` },
  'nested workers': { code: worker('').replace('console.log(\'worker ok\')', 'new (require(\'node:worker_threads\').Worker)(\'console.log(1)\', { eval: true })') },
  'ES module': { extension: '.mjs', code: LATER },
  'ES module with a long await': { extension: '.mjs', code: `${LATER}; await new Promise((resolve) => setTimeout(resolve, 700)); console.log('end')` },
  'ES module whose await never ends': { extension: '.mjs', code: `${BLOCK}; block(100); await new Promise(() => {})` },
  'import of data:': { extension: '.mjs', code: `${LATER}; const { default: value } = await import('data:text/javascript,export default 7'); console.log(value)` },
  'a loader of its own': { extension: '.mjs', flags: ['--import', 'data:text/javascript,import { register } from "node:module"; register("data:text/javascript,export async function resolve (a, b, next) { return next(a, b) }")'] },
  'input from stdin': { shell: 'shift $(($# - 1)); file=$1; exec "$NODE" $PRELOAD < "$file"' },
  'code by -e': { shell: 'exec "$NODE" $PRELOAD -e "setTimeout(() => console.log(1), 300)"' },
  'code by -p': { shell: 'exec "$NODE" $PRELOAD -p "1 + 1"' },
  '--check': { flags: ['--check'] },
  '--version': { shell: 'exec "$NODE" $PRELOAD --version' },
  '--test': { flags: ['--test'], code: "const { test } = require('node:test'); test('mine', async () => { await new Promise((resolve) => setTimeout(resolve, 200)) })", shell: '"$@" > /dev/null; echo $?' },
  '--env-file': { flags: ['--env-file=odd.env'], files: () => ({ 'odd.env': 'MINE=1\n' }), code: `${LATER}; console.log(process.env.MINE)` },
  '--cpu-prof': { flags: ['--cpu-prof'], shell: '"$@"; ls *.cpuprofile | wc -l; rm -f *.cpuprofile' },
  '--heap-prof': { flags: ['--heap-prof'], shell: '"$@"; ls *.heapprofile | wc -l; rm -f *.heapprofile' },
  '--trace-events': { flags: ['--trace-event-categories', 'v8'], shell: '"$@"; ls node_trace* | wc -l; rm -f node_trace*' },
  '--report-on-signal': { flags: ['--report-on-signal'], code: `${LATER}; setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 300)`, shell: '"$@" 2> /dev/null; ls report* | wc -l; rm -f report*' },
  'coverage of V8': { env: { NODE_V8_COVERAGE: 'coverage' }, shell: '"$@"; ls coverage | wc -l; rm -rf coverage' },
  inspector: { code: `${LATER}; const inspector = require('node:inspector'); const s = new inspector.Session(); s.connect(); s.post('Profiler.enable'); s.post('Profiler.start'); setTimeout(() => s.post('Profiler.stop', (error, { profile }) => console.log(error, profile.nodes.length > 0)), 400)` },
  'an open inspector': { flags: ['--inspect=127.0.0.1:0'], shell: '"$@" 2> /dev/null; echo $?' },
  SIGUSR1: { code: `process.on('SIGUSR1', () => console.log('mine')); ${LATER}; setTimeout(() => process.kill(process.pid, 'SIGUSR1'), 300)` },
  'a heap snapshot': { code: `${LATER}; setTimeout(() => { const v8 = require('node:v8'); const file = v8.writeHeapSnapshot(); require('node:fs').unlinkSync(file); console.log('taken') }, 300)` },
  'a report': { code: `${LATER}; setTimeout(() => { console.log(Object.keys(process.report.getReport()).length) }, 300)` },
  'performance observers': { code: `${LATER}; const { PerformanceObserver } = require('node:perf_hooks'); new PerformanceObserver((list) => { if (list.getEntriesByName('mine').length > 0) console.log('seen') }).observe({ entryTypes: ['mark', 'gc'] }); setTimeout(() => performance.mark('mine'), 200)` },
  'event loop delay': { code: `${LATER}; const h = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 }); h.enable(); setTimeout(() => { console.log(h.max > 80e6) }, 450)` },
  'async hooks': { code: `${LATER}; let n = 0; require('node:async_hooks').createHook({ init () { n++ } }).enable(); setTimeout(() => console.log(n > 0), 400)` },
  AsyncLocalStorage: { code: `${LATER}; const als = new (require('node:async_hooks').AsyncLocalStorage)(); als.run(7, () => setTimeout(() => console.log(als.getStore()), 300))` },
  domain: { code: `${LATER}; const d = require('node:domain').create(); d.on('error', ({ message }) => console.log(message)); d.run(() => setTimeout(() => { throw new Error('mine') }, 200))` },
  'vm with a timeout': { code: `${LATER}; setTimeout(() => { try { require('node:vm').runInNewContext('while (true);', {}, { timeout: 200 }) } catch ({ code }) { console.log(code) } }, 100)` },
  'vm with its own microtasks': { code: `${LATER}; require('node:vm').runInNewContext('Promise.resolve().then(() => log(1))', { log: console.log }, { microtaskMode: 'afterEvaluate' })` },
  'permission model': { flags: ['--permission', '--allow-fs-read=*', '--allow-worker'] },
  'permission model without threads': { flags: ['--permission', '--allow-fs-read=*'] },
  'type stripping': { extension: '.ts', flags: ['--experimental-strip-types', '--no-warnings'], code: `${LATER}; const n: number = 3; console.log(n)` },
  '--no-deprecation': { flags: ['--no-deprecation'] },
  '--throw-deprecation': { flags: ['--throw-deprecation'] },
  '--pending-deprecation': { flags: ['--pending-deprecation'] },
  '--trace-sync-io': { flags: ['--trace-sync-io'], shell: '"$@" 2> /dev/null; echo $?' },
  '--experimental-vm-modules': { flags: ['--experimental-vm-modules', '--no-warnings'] },
  '--expose-gc': { flags: ['--expose-gc'], code: `${LATER}; setTimeout(() => { gc(); console.log('collected') }, 200)` },
  '--single-threaded': { flags: ['--single-threaded'] },
  '--max-lazy': { flags: ['--max-lazy'] },
  'server that is closed': { code: "const s = require('node:http').createServer(); s.listen(0, () => s.close(() => console.log(s.listenerCount('connection'), s.eventNames().join())))" },
  'server and requests': { code: `${BLOCK}; const http = require('node:http'); const s = http.createServer((q, r) => { block(80); r.end('hi') }).listen(0, async () => { for (let i = 0; i < 3; i++) console.log(await (await fetch('http://127.0.0.1:' + s.address().port)).text()); s.closeAllConnections(); s.close() })` },
  'handles that keep it alive': { code: 'setTimeout(() => console.log(process.getActiveResourcesInfo().sort().join()), 300)' },
  globals: { code: 'setTimeout(() => console.log(Reflect.ownKeys(globalThis).filter((key) => !/^Symbol\\(undici/.test(String(key))).length), 300)' },
  // The agent's own listener for `exit` is documented.
  'listeners of process': { code: 'setTimeout(() => console.log(process.eventNames().map(String).filter((name) => !/^(newListener|removeListener|exit)$/.test(name)).sort().join()), 300)' },
  'no /proc': { shell: 'command -v unshare > /dev/null && unshare -rm sh -c \'mount -t tmpfs none /proc && exec "$@"\' sh "$@" 2> /dev/null || exec true' }
}

/** @param {string} title @param {Case} test @param {boolean} isWatched @param {string} folder */
async function run (title, test, isWatched, folder) {
  const { code = LATER, flags = [], shell = 'exec "$@"', env = {}, extension = '.js' } = test
  const dir = path.join(folder, `${title.replace(/\W/g, '-')}${isWatched ? '-watched' : '-bare'}`)
  fs.mkdirSync(dir)
  for (const [name, text] of Object.entries(test.files?.(dir) ?? {})) fs.writeFileSync(path.join(dir, name), text)
  const file = path.join(dir, `app${extension}`)
  fs.writeFileSync(file, code)
  const preload = isWatched ? ['--require', PRELOAD] : []
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:LOOPWATCH_|NODE_)/.test(name)))
  const child = spawn('sh', ['-c', shell, 'sh', NODE, ...preload, ...flags, file], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...inherited, NODE, PRELOAD: preload.join(' '), LOOPWATCH_PORT: '0', LOOPWATCH_LOG: 'false', ...env }
  })
  const output = { stdout: '', stderr: '' }
  for (const name of /** @type {const} */ (['stdout', 'stderr'])) child[name].on('data', (data) => { output[name] += data })
  const timer = setTimeout(() => process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL'), LONGEST_MS)
  const [exitCode, signal] = await once(child, 'close')
  clearTimeout(timer)
  // Lines of several processes and threads come in any order.
  const clean = (/** @type {string} */ text) => text.replaceAll('-watched', '').replaceAll('-bare', '')
    .replace(DOCUMENTED, '').replace(VARIABLE, '…').split('\n').sort().join('\n')
  return { exitCode, signal, stdout: clean(output.stdout), stderr: clean(output.stderr), raw: output }
}

/**
 * @param {string} title @param {Case} test @param {string} folder
 * @returns {Promise<boolean>} whether both were the same, or differ as documented
 */
async function compare (title, test, folder) {
  const [bare, watched] = [await run(title, test, false, folder), await run(title, test, true, folder)]
  const kinds = /** @type {const} */ (['exitCode', 'signal', 'stdout', 'stderr'])
  const different = kinds.filter((kind) => bare[kind] !== watched[kind])
  for (const kind of different) {
    const [before, after] = [bare, watched].map((run) => JSON.stringify(run[kind]))
    const note = test.isDocumented ? ' (documented)' : ''
    process.stdout.write(`${title}: ${kind}${note}\n  bare:    ${before}\n  watched: ${after}\n`)
  }
  return different.length === 0 || test.isDocumented === true
}

async function main () {
  const words = process.argv.slice(2)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loopwatch-odd-hosts-'))
  const left = Object.entries(CASES)
    .filter(([title]) => words.length === 0 || words.some((word) => title.includes(word)))
  const count = left.length
  let same = 0
  const take = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) if (await compare(...next, folder)) same++
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  fs.rmSync(folder, { recursive: true, force: true })
  process.stdout.write(`${same} of ${count} pairs are as expected\n`)
  process.exitCode = same === count ? 0 : 1
}

main()
