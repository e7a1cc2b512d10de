'use strict'

// Takes half a minute: some forty processes whose inspector has to open and to close again.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawn, spawnSync } = require('node:child_process')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')
const { text: readAll } = require('node:stream/consumers')
const { clockTime } = require('../../lib/cli/attach/follow')
const { connect } = require('../../lib/cli/attach/inspector')
const { listenersOf } = require('../../lib/cli/common/ports')
const { kernelView } = require('../../lib/cli/attach/kernel-view')
const { checkProcess } = require('../../lib/cli/attach/target-process')
const { startNode, eventually, FIXTURES } = require('../support/app')
const { makeDir } = require('../support/files')

const NEEDS = { skip: typeof WebSocket === 'undefined' && 'attach needs Node.js 22' }
const CLI = path.join(__dirname, '..', '..', 'lib', 'cli', 'main.js')

/**
 * The application, started without loopwatch.
 * @param {import('node:test').TestContext} t
 * @param {{ mode?: string, flags?: string[], under?: string[], file?: string }} [setup] under: a command that runs it
 */
async function startTarget (t, { mode = '', flags = ['--inspect-port=0'], under = [], file = 'profiled.js' } = {}) {
  const [node, ...args] = [...under, process.execPath, ...flags, path.join(FIXTURES, file)]
  const app = startNode(t, args, { env: { TEST_MODE: mode }, node })
  const { port } = /** @type {{ port: number }} */ (await eventually(() => /^\{.*\}$/m.exec(app.out.stdout) && JSON.parse(/** @type {RegExpExecArray} */ (/^\{.*\}$/m.exec(app.out.stdout))[0]), () => app.out.stderr))
  const pid = /** @type {number} */ (app.child.pid)
  return {
    ...app,
    pid,
    ports: () => listenersOf(pid)?.map((each) => each.port),
    ask: (/** @type {number} */ ms) => fetch(`http://127.0.0.1:${port}/?ms=${ms}`).then((response) => response.text()),
    enterNative: (/** @type {string} */ query) => {
      fetch(`http://127.0.0.1:${port}/?${query}`).catch(() => {})
      return eventually(() => /native/.test(app.out.stdout), 'the native call')
    },
    port
  }
}

/** @param {import('node:test').TestContext} t @param {(string | number)[]} args */
function attach (t, ...args) {
  const run = startNode(t, [CLI, 'attach', ...args.map(String)])
  return {
    ...run,
    says: (/** @type {RegExp} */ pattern) => eventually(() => pattern.exec(run.out.stdout + run.out.stderr), () => `${pattern}: ${run.out.stdout}${run.out.stderr}`),
    error: async () => {
      const { code, stderr } = await run.closed
      assert.equal(code, /ERR_(OPTION|TARGET)\)/.test(stderr) ? 2 : 1, stderr)
      return stderr
    }
  }
}

test('blocks of a process that was started without loopwatch, live, and nothing is left in it', NEEDS, async (t) => {
  const app = await startTarget(t, { file: 'profiled.mjs' })
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ with an agent inside it, its inspector is closed again/)
  assert.match(run.out.stderr, /opening the inspector of process/)
  // In it listen its own server and the agent: no inspector, but an agent that asks for its token.
  await eventually(() => app.ports()?.length === 2, () => `ports ${app.ports()}`)
  const [agentPort] = /** @type {number[]} */ (app.ports()).filter((port) => port !== app.port)
  assert.equal((await fetch(`http://127.0.0.1:${agentPort}/blocks`)).status, 401)
  // Again and again: on a busy machine one may be judged starved, and blamed on no line. There is no profile either.
  const asking = setInterval(() => app.ask(400).catch(() => {}), 1000)
  t.after(() => clearInterval(asking))
  await app.ask(400)
  await run.says(/event loop was blocked for \S+ m?s(?::|, .* of it by) (?:≈ )?culprit \(\S*profiled\.js:\d+\)/)
  clearInterval(asking)
  await run.says(/^ {4}at culprit \(.*profiled\.js:\d+:\d+\)$/m)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  assert.match(stderr, /left process \d+: the agent in it is stopped, its inspector closed/)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(await app.ask(1), '2000')
})

test('an application that starts its own agent meanwhile has it, with its own options, and keeps it', NEEDS, async (t) => {
  const dir = path.join(makeDir(t), 'blocks')
  const app = startNode(t, ['--inspect-port=0', '-e', `process.on('SIGUSR2', () => require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: 0, log: false, threshold: 77 }).ready.then(({ url }) => console.log(url)))
    setInterval(() => {}, 1000); console.log('ready')`], { env: { LOOPWATCH_DIR: dir } })
  await eventually(() => /ready/.test(app.out.stdout), 'the application')
  const run = attach(t, /** @type {number} */ (app.child.pid))
  await run.says(/watching process \d+ with an agent inside it/)
  assert.equal(fs.existsSync(dir), false, 'what the environment says is for its own')
  app.child.kill('SIGUSR2')
  const url = await eventually(() => /http\S+/.exec(app.out.stdout)?.[0], () => `its endpoint: ${app.out.stderr}`)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  assert.match(await (await fetch(`${url}/metrics`)).text(), /loopwatch_config_threshold_seconds 0\.077/)
  assert.equal(fs.existsSync(dir), true)
  assert.equal(app.out.stderr.includes('LOOPWATCH_WARN_STARTED'), false, app.out.stderr)
})

test('a process in an endless loop: --once prints its stack, and attach its block in progress', NEEDS, async (t) => {
  const app = await startTarget(t, { mode: 'stuck' })
  await eventually(() => /^stuck$/m.test(app.out.stdout), 'the endless loop')
  const once = await attach(t, app.pid, '--once').closed
  assert.match(once.stdout, /^main +running[^]*^process \d+ is\n {4}at (culprit|Timeout\.forever) .*profiled\.js[^]*Timeout\.forever[^]*^slow now\? +/m)
  assert.deepEqual([once.code, app.ports()?.length], [0, 1])

  const run = attach(t, app.pid)
  await run.says(/event loop blocked for at least .* so far(?::|, .* of it by) (?:≈ )?(culprit|forever) \(\S*profiled\.js/)
  run.child.kill('SIGINT')
  const { code, stderr } = await run.closed
  assert.equal(code, 0, stderr)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
  assert.equal(app.child.exitCode, null)
})

test('the inspector of a process that was busy is closed at the end of the block as well, and the agent sees the next one', NEEDS, async (t) => {
  const app = await startTarget(t)
  const asked = app.ask(5000)
  const once = await attach(t, app.pid, '--once').closed
  assert.equal(once.code, 0, once.stderr)
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ with an agent inside it, its inspector is closed again/)
  await asked
  // Again and again: on a busy machine the agent may not be ready for the first.
  const asking = setInterval(() => app.ask(300).catch(() => {}), 1000)
  t.after(() => clearInterval(asking))
  // Twice for the signals, and once more as the loop turns again.
  await eventually(() => app.out.stderr.match(/Debugger listening/g)?.length === 3, () => app.out.stderr)
  await eventually(() => app.ports()?.length === 2, () => `ports ${app.ports()}`)
  await run.says(/event loop was blocked for [3-9]\d\d ms(?::|, .* of it by) (?:≈ )?\w+ \(\S*profiled/)
  run.child.kill('SIGINT')
  assert.equal((await run.closed).code, 0)
  await eventually(() => app.ports()?.length === 1, () => `ports ${app.ports()}`)
})

test('an inspector of ours that did not close is closed as we leave, and one that somebody has opened since is not', NEEDS, async (t) => {
  const dir = makeDir(t)
  fs.writeFileSync(path.join(dir, 'app.js'), `
    const end = process._debugEnd
    process._debugEnd = () => {}
    process.on('SIGHUP', () => {
      process._debugEnd = end
      if (process.argv[2] === 'debugged') {
        end.call(process)
        require('node:inspector').open(0)
      }
      console.log('may close')
    })
    setInterval(() => {}, 1000)
    console.log('up')`)
  const leave = async (/** @type {string} */ mode) => {
    const app = startNode(t, ['--inspect-port=0', path.join(dir, 'app.js'), mode])
    await eventually(() => app.out.stdout.includes('up'), () => app.out.stderr)
    const pid = /** @type {number} */ (app.child.pid)
    const run = attach(t, pid)
    await run.says(/with an agent inside it, its inspector is open;/)
    app.child.kill('SIGHUP')
    await eventually(() => app.out.stdout.includes('may close'), () => app.out.stderr)
    run.child.kill('SIGINT')
    const { code, stderr } = await run.closed
    assert.equal(code, 0, stderr)
    return { stderr, listens: listenersOf(pid)?.length }
  }
  const [ours, theirs] = await Promise.all([leave('left'), leave('debugged')])
  assert.match(ours.stderr, /left process \d+: the agent in it is stopped, its inspector closed/)
  assert.equal(ours.listens, 0)
  assert.match(theirs.stderr, /left process \d+: the agent in it is stopped; its inspector was open already and stays open/)
  assert.equal(theirs.listens, 1)
})

test('an application that puts a browser\'s `process` in place of its own is left with a closed inspector as well', NEEDS, async (t) => {
  const app = await startTarget(t, { mode: 'browser' })
  const before = app.ports()
  const once = await attach(t, app.pid, '--once').closed
  assert.equal(once.code, 0, once.stderr)
  const run = attach(t, app.pid)
  await run.says(/watching process \d+ with an agent inside it, its inspector is closed again/)
  await app.ask(300)
  await run.says(/event loop was blocked for/)
  run.child.kill('SIGINT')
  assert.match((await run.closed).stderr, /the agent in it is stopped, its inspector closed/)
  assert.deepEqual(app.ports(), before)
})

test('from outside nothing is loaded, and blocks show all the same', NEEDS, async (t) => {
  const app = await startTarget(t)
  assert.match((await attach(t, app.pid, '--once').closed).stdout, /is idle/)
  const run = attach(t, app.pid, '--outside', '--threshold', 100)
  await run.says(/from outside \(--outside\): its inspector stays open/)
  // One look is taken of each block: on a busy machine it may come before the culprit has begun.
  for (let i = 0; i < 5 && !/was busy for \S+ m?s: culprit/.test(run.out.stdout); i++) await app.ask(600)
  await run.says(/event loop busy for at least \S+ m?s so far: culprit/)
  await run.says(/event loop was busy for (\d{3,} ms|\S+ s): culprit/)
  app.child.kill('SIGKILL')
  await run.says(/process \d+ has ended/)
  assert.equal((await run.closed).code, 0)
})

test('a process that has an agent is followed, and keeps it; its token is asked for', NEEDS, async (t) => {
  const app = startNode(t, ['--inspect-port=0', '-e', `require(${JSON.stringify(path.join(__dirname, '..', '..'))}).start({ port: 0, log: false, token: 'secret' }).ready.then(({ url }) => console.log(url)); setInterval(() => {}, 1000)
    setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300), 300)`])
  const url = await eventually(() => /http\S+/.exec(app.out.stdout)?.[0], 'its endpoint')
  const pid = /** @type {number} */ (app.child.pid)
  const { startedAt, durationMs } = await eventually(async () => {
    /** @type {any} */
    const records = await (await fetch(`${url}/blocks`, { headers: { authorization: 'Bearer secret' } })).json()
    return records.find((/** @type {any} */ { durationMs, ongoing }) => durationMs > 250 && !ongoing)
  }, 'a block before anybody attaches')
  const { stdout, stderr, code } = await attach(t, pid, '--seconds', 1, '--token', 'secret').closed
  const endedAt = new Date(Date.parse(startedAt) + durationMs).toISOString()
  assert.match(stdout, new RegExp(`^(\\S+ )?${clockTime(endedAt, endedAt)} event loop was blocked for`, 'm'))
  assert.match(stderr, new RegExp(`has an agent of its own, at ${url}`))
  assert.equal(code, 0)
  assert.match(await attach(t, pid).error(), /its agent at http\S+ requires a token: --token \(LOOPWATCH_ERR_ATTACH\)/)
  assert.match(await attach(t, pid, '--token', 'wrong').error(), /rejects this --token/)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
})

const onLinux = { skip: process.platform !== 'linux' && 'the kernel\'s view needs /proc' }

/** @param {import('node:test').TestContext} t @param {string} script @param {string[]} args */
async function startScript (t, script, ...args) {
  const app = startNode(t, ['--inspect-port=0', '-e', `console.log('up'); setTimeout(() => { ${script}; console.log('over') }, 100)`, ...args])
  await eventually(() => app.out.stdout.includes('up'), () => app.out.stderr)
  const pid = /** @type {number} */ (app.child.pid)
  return {
    ...app,
    pid,
    /** @param {RegExp} pattern of the first screen of `--once`, which may come before the process is there */
    once: (pattern) => eventually(async () => {
      const run = await attach(t, pid, '--once').closed
      return pattern.test(run.stdout) && run
    }, () => `${pattern}: ${fs.readFileSync(`/proc/${pid}/syscall`, 'utf8')}`)
  }
}

test('a process in execSync(): attach names the child, its age and what it runs, and sends nothing', onLinux, async (t) => {
  const app = await startScript(t, "require('node:child_process').execSync('sleep 300; echo done')")
  const { stdout, stderr, code } = await app.once(/running sleep/)
  assert.match(stdout, /^main +asleep in epoll_wait for child process \d+ \(sh, running sleep\), started \S+ m?s ago$/m)
  assert.match(stdout, /^child +\d+, sh -c sleep 300; echo done, started \S+ m?s ago$/m)
  const sleeper = Number(/^child +(\d+), sleep 300, started/m.exec(stdout)?.[1])
  assert.match(stderr, /its main thread is asleep in epoll_wait for child process \d+ \(sh, running sleep\), started .* ago, and shows no stack until that returns; nothing was sent to the process \(LOOPWATCH_ERR_ATTACH\)$/m)
  assert.equal(code, 1)
  const shape = (/** @type {string} */ text) => text.split('\n').filter((line) => /^(main|child) /.test(line))
    .map((line) => line.replace(/\d[\d.]*( m?s)?/g, '#'))
  const document = fs.readFileSync(path.join(__dirname, '..', '..', 'docs', 'tools', 'attach.md'), 'utf8')
  assert.deepEqual(shape(stdout), shape(document.split('```').find((block) => block.includes('sleep 300')) ?? ''), 'the sample of the document')
  // Without --once it waits for the call to end.
  const run = attach(t, app.pid, '--outside')
  setTimeout(() => process.kill(sleeper), 1500)
  await eventually(() => app.out.stdout.includes('over') || app.child.exitCode !== null, () => app.out.stderr)
  assert.doesNotMatch(app.out.stderr, /Debugger/)
  run.child.kill('SIGKILL')
})

test('a process that waits for a FIFO: attach --once names the file, and sends nothing', onLinux, async (t) => {
  const fifo = path.join(makeDir(t), 'fifo')
  spawnSync('mkfifo', [fifo])
  const app = await startScript(t, "const fs = require('node:fs'); fs.readSync(fs.openSync(process.argv[1], 'r+'), Buffer.alloc(1))", fifo)
  const { stderr, code } = await app.once(new RegExp(`^main +asleep in read of ${fifo}$`, 'm'))
  assert.match(stderr, /asleep in read of .*fifo, and shows no stack until that returns; nothing was sent to the process/)
  assert.equal(code, 1)
  fs.appendFileSync(fifo, 'x')
  assert.equal((await app.closed).stderr, '')
})

test('a call in which the process fell asleep while the kernel\'s view was taken is looked at again', onLinux, async (t) => {
  const fifo = path.join(makeDir(t), 'fifo')
  spawnSync('mkfifo', [fifo])
  const enter = `const fs = require('node:fs')
    process.once('SIGUSR2', () => fs.readSync(fs.openSync(${JSON.stringify(fifo)}, 'r+'), Buffer.alloc(1)))
    setInterval(() => {}, 1000)`
  // On a busy machine it may fall asleep after the look.
  const view = await eventually(async () => {
    const app = await startScript(t, enter)
    await eventually(() => app.out.stdout.includes('over'), 'its handler')
    const viewing = kernelView(app.pid)
    setTimeout(() => app.child.kill('SIGUSR2'), 50)
    const view = await viewing
    app.child.kill('SIGKILL')
    return view?.rows.some(([, text]) => text === `asleep in read of ${fifo}`) && view
  }, 'a process that fell asleep')
  assert.equal(view.stuckIn, `read of ${fifo}`)
})

test('a stopped process: attach --once prints what the kernel says of it, and sends nothing', onLinux, async (t) => {
  const app = await startScript(t, 'setInterval(() => {}, 1000)')
  app.child.kill('SIGSTOP')
  const { stdout, stderr, code } = await app.once(/^main +stopped \(SIGSTOP/m)
  assert.match(stdout, new RegExp(`^process +${app.pid}, node \\S+ -e .*\nmain .*\nCPU +0% of 2\\d\\d ms.*\nmemory +\\d+ MB resident.*\nthreads `))
  assert.match(stderr, /it is stopped \(SIGSTOP, or a debugger\): kill -CONT it first/)
  assert.deepEqual([code, app.out.stderr], [1, ''])
})

test('a process that handles SIGUSR1 itself, idle or busy: attach --once prints what the kernel says, and that it handles the signal', { skip: onLinux.skip || NEEDS.skip }, async (t) => {
  const handles = "process.on('SIGUSR1', () => {}); setInterval(() => {}, 1000)"
  const [idle, busy] = await Promise.all([startScript(t, handles), startScript(t, `${handles}; setTimeout(() => { for (;;); }, 100)`)])
  const [ofIdle, ofBusy] = await Promise.all([
    idle.once(/^main +asleep in its event loop, waiting for events$/m),
    busy.once(/^main +running, or waiting for a CPU$/m)
  ])
  const hasThreadNames = Number.parseInt(process.versions.node, 10) >= 24
  for (const { stderr, code } of [ofIdle, ofBusy]) {
    assert.match(stderr, hasThreadNames ? /s: the process handles SIGUSR1 itself \(start the application with 'loopwatch run'\) \(LOOP/ : /handles SIGUSR1 itself/)
    assert.equal(code, 1)
  }
})

test('a full thread pool and a busy worker thread: attach --once counts and names them', onLinux, async (t) => {
  const app = await startScript(t, `for (let i = 0; i < 8; i++) require('node:crypto').pbkdf2('', '', 1e8, 64, 'sha512', () => {})
    new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`)
  const hasThreadNames = Number.parseInt(process.versions.node, 10) >= 22
  const pool = hasThreadNames ? "libuv's pool has 4 of 4 busy, [0-4] of them computing; " : ''
  await app.once(new RegExp(`^main +asleep in its event loop.*\\n.*\\n.*\\nthreads +${pool}5 busy threads: (?:\\S+ \\d+%(?:, |$)){5}`, 'm'))
})

test('a process that attach cannot use is left alone, and the error says why', NEEDS, async (t) => {
  assert.match(await attach(t, 'abc').error(), /<pid> takes a process id, got "abc" \(LOOPWATCH_ERR_OPTION\)/)
  const gone = startNode(t, ['-e', '0'])
  await gone.closed
  assert.match(await attach(t, /** @type {number} */ (gone.child.pid)).error(), /there is no such process \(LOOPWATCH_ERR_ATTACH\)/)
  const sleeper = spawn('sleep', ['60'])
  t.after(() => sleeper.kill())
  await once(sleeper, 'spawn')
  assert.match(await attach(t, /** @type {number} */ (sleeper.pid)).error(), /it runs (sleep|coreutils), not Node\.js/)
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null)
  const handles = await startTarget(t, { mode: 'handles' })
  await assert.rejects(connect(checkProcess(handles.pid), () => {}, 500), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /handles SIGUSR1 itself \(start the application with 'loopwatch run'\)/ })
  assert.match(handles.out.stdout, /my own SIGUSR1/)
  assert.equal(await handles.ask(1), '2000')
  // Its id goes to another process after it was checked.
  await assert.rejects(connect({ ...checkProcess(handles.pid), pid: /** @type {number} */ (sleeper.pid) }, () => {}), { code: 'LOOPWATCH_ERR_ATTACH' })
  await assert.rejects(connect({ ...checkProcess(handles.pid), started: '1' }, () => {}), { code: 'LOOPWATCH_ERR_ATTACH', message: /another process has its id/ })
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null)
})

test('on Node.js 20, which has no WebSocket, the command says so and leaves the process alone', { skip: !NEEDS.skip && 'is for Node.js 20' }, async (t) => {
  const app = await startTarget(t)
  assert.match(await attach(t, app.pid).error(), /the command needs Node\.js 22 or later, got 20\.\d+\.\d+; .*LOOPWATCH_ERR_ATTACH/)
  assert.deepEqual([app.out.stderr, app.ports()?.length], ['', 1])
  const { stdout, stderr } = await attach(t, app.pid, '--once').closed
  assert.match(stdout, /^process +\d+, node .*\nmain +asleep in its event loop, waiting for events$/m)
  assert.match(stderr, /the command needs Node\.js 22 or later/)
})

test('a process of another user, and one in a container, are refused by name of the reason', NEEDS, async (t) => {
  const app = await startTarget(t)
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const stranger = spawn(process.execPath, ['-e', `process.setgid(65534); process.setuid(65534)
      try { require(${JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'cli', 'attach', 'target-process'))}).checkProcess(${app.pid}) } catch (error) { console.log(error.code, error.message) }`])
    assert.match(await readAll(stranger.stdout), /^LOOPWATCH_ERR_ATTACH .*belongs to another user/)
  } else {
    assert.throws(() => checkProcess(1), { code: 'LOOPWATCH_ERR_ATTACH', message: /belongs to another user/ })
  }
  const under = (/** @type {string} */ what) => ['unshare', ...isRoot ? [] : ['--map-root-user'], what]
  const [command, ...args] = under('--net')
  // A kernel may keep namespaces to itself.
  if (spawnSync(command, [...args, 'true']).status !== 0) return t.skip('needs namespaces (unshare)')
  const contained = startNode(t, [...args, process.execPath, '-e', 'setInterval(() => {}, 1000); console.log(1)'], { node: command })
  await eventually(() => contained.out.stdout, 'the process in the container')
  assert.match(await attach(t, /** @type {number} */ (contained.child.pid)).error(), /in a container.*docker exec/)
  assert.equal(contained.child.exitCode ?? contained.child.signalCode, null)
  // Other files, the same network: nothing can be loaded into it.
  const elsewhere = await startTarget(t, { under: under('--mount') })
  const run = attach(t, elsewhere.pid, '--seconds', 1)
  await run.says(/from outside \(the process has another file system\)/)
  assert.equal((await run.closed).code, 0)
  assert.equal(elsewhere.ports()?.length, 1)
})

test('a process of the same user that the kernel guards is not said to be another user\'s', { skip: process.platform !== 'linux' && 'other kernels' }, async (t) => {
  const dir = makeDir(t)
  fs.chmodSync(dir, 0o755)
  // What a user may run and not read is guarded from that user, though not from root.
  const unreadable = path.join(dir, 'sleep')
  fs.copyFileSync(spawnSync('sh', ['-c', 'readlink -f "$(command -v sleep)"'], { encoding: 'utf8' }).stdout.trim(), unreadable)
  fs.chmodSync(unreadable, 0o111)
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  const guarded = spawn(unreadable, ['60'], user)
  t.after(() => guarded.kill())
  await once(guarded, 'spawn')
  const sameUser = spawn(process.execPath, ['-e', `${user.uid === undefined ? '' : 'process.setgid(65534); process.setuid(65534)'}
    try { require(${JSON.stringify(path.join(__dirname, '..', '..', 'lib', 'cli', 'attach', 'target-process'))}).checkProcess(${guarded.pid}) } catch (error) { console.log(error.code, error.message) }`])
  assert.match(await readAll(sameUser.stdout), /^LOOPWATCH_ERR_ATTACH .*belongs to the same user, but the kernel does not allow looking into it/)
})

test('Ctrl-C while the inspector is opening waits for it, and has it closed again', NEEDS, async (t) => {
  const app = await startTarget(t)
  await app.enterNative('orphan=2500')
  const run = attach(t, app.pid, '--once')
  await run.says(/opening the inspector/)
  run.child.kill('SIGINT')
  const { code, stdout } = await run.closed
  assert.equal(stdout.includes('    at '), false, stdout)
  assert.deepEqual([code, app.ports()?.length], [0, 1])
  assert.match(app.out.stderr, /Debugger listening/)
})

test('an inspector that stays open, or opens to other machines, is an error', NEEDS, async (t) => {
  const app = await startTarget(t)
  const inspector = await connect(checkProcess(app.pid), () => {})
  await app.enterNative('native=1500')
  // Until then, it may close its inspector first.
  await eventually(() => fs.readFileSync(`/proc/${app.pid}/task/${app.pid}/children`, 'utf8') !== '', 'the child process that it waits for')
  await assert.rejects(inspector.end(200), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /STILL OPEN at 127\.0\.0\.1:\d+/ })
  const renamed = await startTarget(t, { mode: 'renamed', flags: ['--inspect-port=0.0.0.0:0'] })
  await assert.rejects(connect({ ...checkProcess(renamed.pid), takesUsualPort: false }, () => {}), { code: 'LOOPWATCH_ERR_INSPECTOR', message: /its inspector opened on 0\.0\.0\.0:\d+, .* it is closed again/ })
  assert.equal(renamed.ports()?.length, 1)
})

test('where another process has port 9229, nothing is sent to the one asked for', NEEDS, async (t) => {
  const other = http.createServer((request, response) => response.end('[]')).listen(9229, '127.0.0.1')
  // Whatever has it already will do.
  await Promise.race([once(other, 'listening'), once(other, 'error')])
  t.after(() => other.close())
  const app = await startTarget(t, { flags: [] })
  assert.match(await attach(t, app.pid).error(), /port 9229, where its inspector would open, is taken by (?:another process|process \d+)/)
  assert.equal(app.out.stderr, '')
})
