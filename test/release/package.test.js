'use strict'

// Takes half a minute: the package is packed, installed three times, type-checked and bundled.
const test = require('node:test')
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { promisify } = require('node:util')
const esbuild = require('esbuild')
const ts = require('typescript')
const { eventually, startNode } = require('../support/app')
const { links } = require('../support/docs/markdown')
const { makeDir } = require('../support/files')
const { startRegistry } = require('../support/registry')
const { publicPart } = require('./build-types')
const { judgeManifest, judgePack, pack, LIMITS } = require('./check')
const { makeAbsolute } = require('./package-links')

const ROOT = path.join(__dirname, '..', '..')
const run = promisify(execFile)

/** What a package may hold; everything else in it is a mistake. */
const belongs = [
  /^(package\.json|README\.md|CHANGELOG\.md|SECURITY\.md|LICENSE|llms\.txt)$/,
  /^lib\/(?!export\/page\/source\/).+\.(js|md)$/,
  /^lib\/explain\/advice\/known\.json$/,
  /^lib\/cli\/test\/inside\/vitest\.mjs$/,
  /^lib\/export\/page\/(THIRD-PARTY\.txt|(?:(?:causes|index|runbook)\.html|page\.css|(?:page|report)\.js)\.gz)$/,
  /^lib\/declarations\/.+\.d\.m?ts$/,
  /^docs\/(causes\/[\w-]+|operate\/(?:runbook|slow-now|slow-without-a-block)|use\/(?:errors|options))\.md$/,
  /^grafana\/.+\.(json|ya?ml|md)$/,
  /^scenarios\/demo\/.+\.(js|md)$/
]

/** An application that blocks, and says where its agent listens and which functions of which files blocked. */
const APP = `
  const agent = start({ port: 0, log: false })
  agent.ready.then(async ({ url }) => {
    const health = url && await (await fetch(url + '/healthz')).json()
    // Again and again: on a busy machine a block may pass without having been seen.
    const holding = setInterval(function hold () { const [end, from] = [Date.now() + 200, process.cpuUsage()]; while (Date.now() < end || process.cpuUsage(from).user < 100000); }, 400)
    let blocked = []
    for (let i = 0; i < 100 && url !== null && !blocked.some((site) => site.startsWith('hold')); i++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      blocked = (await agent.blocks()).map(({ frame }) => frame ? frame.function + ' ' + frame.file : '')
    }
    clearInterval(holding)
    console.log(JSON.stringify({ health: health && typeof health.status, blocked, metrics: (await agent.metrics()).includes('loopwatch_build_info') }))
    await agent.stop()
  })`

const TYPED = `
  import loopwatch, { start, LoopwatchError, type Agent, type BlockRecord, type Load, type Options, type Work } from 'loopwatch'
  import fastify from 'fastify'
  const agent = start({ threshold: 100, labels: { service: 'x' }, log: { level: 'warn', destination: 2 }, route: (request) => request.url ?? null })
  const same: boolean = agent === loopwatch.start()
  const url: Promise<string | null> = agent.ready.then((ready) => ready.url)
  const sites: Promise<(string | null | undefined)[]> = agent.blocks().then((blocks) => blocks.map(({ frame }) => frame?.function))
  agent.on('block', ({ durationMs, frame }) => [durationMs.toFixed(), frame?.line])
  // @ts-expect-error
  agent.on('block', (record) => record.nonsense)
  fastify().register(agent.fastify, { maxDelay: 200, exempt: () => false })
  agent.middleware({ maxUtilization: 0.9 })
  const delayMs: number = agent.load().lastSecond.delayMs.p99 + agent.load().sinceStart.utilization
  const hunted: Promise<number> = agent.hunt({ seconds: 1 }).then(({ found }) => found)
  const code = (error: unknown) => error instanceof LoopwatchError && error.code === 'LOOPWATCH_ERR_OPTION'
  // @ts-expect-error
  start({ treshold: 100 })
  // @ts-expect-error
  start({ threshold: '100' })
  const options: Options = { threshold: 100 }
  const told = (agent: Agent): Load => agent.load()
  const lineOf = ({ frame }: BlockRecord): number | null => frame?.line ?? null
  const nameOf = ({ name }: Work): string => name
  const lines: Promise<(number | null)[]> = agent.blocks().then((blocks) => blocks.map(lineOf))
  export const all = [options, told(agent).memory.heapLimitBytes, nameOf, lines, same, url, sites, delayMs, hunted, code, agent.stop(), agent.metrics(), agent.contentType.length]
`

/** @param {string} stdout */
function assertWatched (stdout, file = 'app') {
  const said = JSON.parse(stdout)
  assert.deepEqual({ ...said, blocked: undefined }, { health: 'string', metrics: true, blocked: undefined })
  assert.ok(said.blocked.some((/** @type {string} */ site) => site.startsWith('hold ') && path.basename(site).startsWith(file)), stdout)
}

test('a release waits for an address, a version that the changelog has, and provenance', () => {
  const ready = { version: '1.2.0', repository: 'r', homepage: 'h', bugs: 'b', publishConfig: { provenance: true, access: 'public' } }
  assert.deepEqual(judgeManifest(ready, '# Changelog\n\n## 1.2.0 (2026-11-23)\n'), [])
  /** @type {[object, string, RegExp][]} */
  const cases = [
    [{ homepage: undefined }, '## 1.2.0', /no homepage/],
    [{ version: '0.0.0' }, '## 0.0.0', /the version is 0\.0\.0/],
    [{}, '## 1.1.0', /no heading for 1\.2\.0/],
    [{}, '## 1.2.0 (unreleased)', /unreleased/],
    [{ publishConfig: { access: 'public' } }, '## 1.2.0', /provenance/]
  ]
  for (const [differences, changelog, expected] of cases) {
    const problems = judgeManifest({ ...ready, ...differences }, changelog)
    assert.equal(problems.length, 1, problems.join())
    assert.match(problems[0], expected)
  }
})

test('types have no members of the agent\'s own threads, and no comment that has become a type', () => {
  const declarations = [
    '/**', ' * @typedef {object} Load', ' * @property {number} p99 ms', ' */', 'export type Load = {', '    /**', '     * ms', '     */', '    p99: number;', '};',
    '/** The agent. */', 'export class Agent {', '    constructor();', '    /** Internal. For the watchdog. */', '    probe: () => import("./probe").Probe;', '    /** Ends it. */', '    stop(): void;', '    #private;', '}'
  ].join('\n')
  assert.deepEqual(publicPart(declarations).split('\n'), [
    'export type Load = {', ' /**', '  * ms', '  */', ' p99: number;', '};',
    '/** The agent. */', 'export class Agent {', ' constructor();', ' /** Ends it. */', ' stop(): void;', ' #private;', '}'
  ])
})

test('the package', async (t) => {
  const dir = makeDir(t)
  const { file: tarball, size, unpackedSize, files } = pack(dir)
  const paths = files.map((/** @type {{ path: string }} */ file) => file.path)

  await t.test('holds the files it should, and stays below its size limits', () => {
    assert.deepEqual(paths.filter((/** @type {string} */ file) => !belongs.some((pattern) => pattern.test(file))), [])
    assert.ok(unpackedSize < LIMITS.unpackedBytes, `${unpackedSize} bytes unpacked`)
    assert.ok(size < LIMITS.packedBytes, `${size} bytes packed`)
    t.diagnostic(`${paths.length} files, ${size} bytes packed, ${unpackedSize} unpacked`)
  })

  await t.test('holds every file of its own that one of its files loads', () => {
    for (const file of paths.filter((/** @type {string} */ each) => /^(lib|scenarios)\/.+\.m?js$/.test(each))) {
      const source = fs.readFileSync(path.join(ROOT, file), 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '')
      for (const [, target] of source.matchAll(/(?:require\(|from )'(\.[^']+)'/g)) {
        const base = path.posix.join(path.posix.dirname(file), target)
        assert.ok(base === '.' || ['', '.js', '/index.js', '.json'].some((ending) => paths.includes(base + ending)), `${file} loads ${target}`)
      }
    }
  })

  await t.test('is what is in git', async () => {
    const unpacked = path.join(dir, 'unpacked')
    fs.mkdirSync(unpacked)
    await run('tar', ['-xzf', tarball, '-C', unpacked])
    for (const file of paths.filter((/** @type {string} */ each) => each !== 'package.json')) {
      const [ours, theirs] = [path.join(ROOT, file), path.join(unpacked, 'package', file)].map((each) => fs.readFileSync(each))
      assert.ok(ours.equals(theirs), file)
    }
  })

  await t.test('released, has no link that leads nowhere: README needs the repository for all, other documents for what is only there', async () => {
    const folder = path.join(dir, 'released')
    fs.mkdirSync(folder)
    await run('tar', ['-xzf', tarball, '-C', folder])
    const unpacked = path.join(folder, 'package')
    assert.throws(() => makeAbsolute(unpacked), /no repository/)
    const manifest = path.join(unpacked, 'package.json')
    const own = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    fs.writeFileSync(manifest, JSON.stringify({ ...own, repository: { type: 'git', url: 'git+https://github.com/someone/loopwatch.git' } }))
    assert.ok(makeAbsolute(unpacked).length > 10)
    assert.deepEqual(makeAbsolute(unpacked), [], 'nothing is left to change')
    const address = new RegExp(`^https://(?:raw\\.githubusercontent\\.com/someone/loopwatch|github\\.com/someone/loopwatch/(?:blob|tree))/v${own.version.replaceAll('.', '\\.')}/`)
    const dead = paths.filter((each) => /\.md$|^llms\.txt$/.test(each)).flatMap((each) => links(path.join(unpacked, each)).filter(({ target }) => {
      const [file] = target.split('#')
      if (address.test(file)) return !fs.existsSync(path.join(ROOT, file.replace(address, '')))
      if (/^[a-z]+:/.test(file) || file === '') return false
      return each === 'README.md' || !paths.includes(path.posix.join(path.posix.dirname(each), file))
    }).map(({ target }) => `${each}: ${target}`))
    assert.deepEqual(dead, [])
    assert.match(fs.readFileSync(path.join(unpacked, 'README.md'), 'utf8'), /<img src="https:\/\/raw\.githubusercontent\.com\/someone\/loopwatch\/v[^/]+\/\.github\/images\/[\w-]+\.png"/)
  })

  await t.test('passes publint and attw', async () => {
    assert.deepEqual(await judgePack(fs.readFileSync(tarball)), [])
  })

  const project = path.join(dir, 'project')
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true }')
  const file = (/** @type {string} */ name, /** @type {string} */ source) => {
    fs.writeFileSync(path.join(project, name), source)
    return path.join(project, name)
  }

  await t.test('installs into an empty project without running scripts, its dependencies and no more', async (t) => {
    const registry = await startRegistry(t)
    await run('npm', ['install', tarball, '--ignore-scripts', '--no-audit', '--no-fund', '--update-notifier=false', '--registry', registry.url, '--cache', path.join(dir, 'cache')],
      { cwd: project, env: { ...process.env, npm_config_noproxy: '127.0.0.1', NO_PROXY: '127.0.0.1' } })
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const installed = fs.readdirSync(path.join(project, 'node_modules'))
    for (const name of Object.keys(dependencies)) assert.ok(fs.existsSync(path.join(project, 'node_modules', name)), name)
    for (const name of ['piscina', 'undici', 'express', 'typescript', 'pg']) assert.ok(!installed.includes(name), name)
  })

  await t.test('installs from git as well, and needs no build', async (t) => {
    if (!fs.existsSync(path.join(ROOT, '.git'))) {
      assert.notEqual(process.env.CI, 'true', 'CI runs in a checkout of git')
      return t.skip('needs a checkout of git')
    }
    const registry = await startRegistry(t)
    const folder = path.join(dir, 'from-git')
    fs.mkdirSync(folder)
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }')
    await run('npm', ['install', `git+file://${ROOT}`, '--no-audit', '--no-fund', '--update-notifier=false', '--registry', registry.url, '--cache', path.join(dir, 'cache')],
      { cwd: folder, env: { ...process.env, npm_config_noproxy: '127.0.0.1', NO_PROXY: '127.0.0.1' } })
    const installed = path.join(folder, 'node_modules', 'loopwatch')
    for (const file of ['lib/declarations/index.d.ts', 'lib/export/page/page.js.gz', 'docs/causes/js.md']) assert.ok(fs.existsSync(path.join(installed, file)), file)
    const { stdout } = await run(process.execPath, ['-p', "typeof require('loopwatch').start"], { cwd: folder })
    assert.equal(stdout, 'function\n')
  })

  await t.test('installs next to any version of what its scenarios and tools are tested with', async (t) => {
    const registry = await startRegistry(t)
    const { devDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    const names = Object.keys(devDependencies)
    for (const version of ['0.0.1', '999.0.0-beta.1']) {
      const folder = path.join(dir, `application-${version}`)
      for (const name of names) {
        fs.mkdirSync(path.join(folder, 'has', name), { recursive: true })
        fs.writeFileSync(path.join(folder, 'has', name, 'package.json'), JSON.stringify({ name, version }))
      }
      fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: Object.fromEntries(names.map((name) => [name, `file:has/${name}`])) }))
      await run('npm', ['install', tarball, '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--update-notifier=false', '--registry', registry.url, '--cache', path.join(dir, 'cache')],
        { cwd: folder, env: { ...process.env, npm_config_noproxy: '127.0.0.1', NO_PROXY: '127.0.0.1' } })
      assert.ok(JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).dependencies.loopwatch, version)
    }
    for (const [name, range] of Object.entries(peerDependencies)) assert.deepEqual([name, range, peerDependenciesMeta[name].optional], [name, '*', true])
  })

  await t.test('says where scenarios are, which no application needs', async (t) => {
    for (const args of [[], ['offload', '--quick']]) {
      const { code, stdout, stderr } = await startNode(t, [path.join(project, 'node_modules', '.bin', 'loopwatch'), 'scenario', ...args], { cwd: project }).closed
      assert.notEqual(code, 0)
      assert.equal(stdout, '')
      assert.match(stderr, /npm ci && npx loopwatch scenario' in a checkout.*LOOPWATCH_ERR_SCENARIOS/s)
    }
    const help = await startNode(t, [path.join(project, 'node_modules', '.bin', 'loopwatch'), 'scenario', '--help'], { cwd: project }).closed
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /The installed package lacks/)
  })

  await t.test('has an effect when loaded only where it says so: a bundler may leave out what nobody calls', async () => {
    const { sideEffects } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    for (const each of sideEffects) assert.ok(fs.existsSync(path.join(ROOT, each)), each)
    const bundled = async (/** @type {string} */ name) => {
      const { outputFiles } = await esbuild.build({ stdin: { contents: `import '${name}'`, resolveDir: project }, bundle: true, platform: 'node', write: false, logLevel: 'silent' })
      return outputFiles[0].text
    }
    assert.match(await bundled('loopwatch/register'), /startPreloaded/)
    assert.equal((await bundled('loopwatch')).includes('startPreloaded'), false)
  })

  await t.test('works from CommonJS, from ES modules and as a preload', async (t) => {
    const app = file('app.js', `const { start } = require('loopwatch')\n${APP}`)
    const named = file('app.mjs', `import { start } from 'loopwatch'\n${APP}`)
    const whole = file('app-default.mjs', `import loopwatch from 'loopwatch'\nconst { start } = loopwatch\n${APP}`)
    const results = await Promise.all([[app], [named], [whole], ['-r', 'loopwatch/register', app], ['--import', 'loopwatch/register', named]]
      .map((args) => startNode(t, args, { cwd: project, env: args.length > 1 ? { LOOPWATCH_PORT: '0', LOOPWATCH_LOG: 'false' } : {} }).closed))
    for (const { stdout, code } of results) {
      assert.equal(code, 0)
      assertWatched(stdout)
    }
  })

  await t.test('brings the command loopwatch', async (t) => {
    const bin = path.join(project, 'node_modules', '.bin', 'loopwatch')
    const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'))
    assert.equal((await startNode(t, [bin, '--version'], { cwd: project }).closed).stdout, `${version}\n`)
    assert.match((await startNode(t, [bin, 'demo', '--help'], { cwd: project }).closed).stdout, /--seconds/)
  })

  await t.test('has the dashboards, and what starts Prometheus and Grafana, of this checkout', () => {
    const folder = path.join(project, 'node_modules', 'loopwatch', 'grafana')
    assert.deepEqual(fs.readdirSync(path.join(folder, 'dashboards')).sort(), ['README.md', 'blocks.json', 'cluster.json', 'overview.json'])
    assert.ok(fs.existsSync(path.join(folder, 'docker-compose.yml')))
  })

  await t.test('runs the demo, with its live page and the runbook, and sums it up', async (t) => {
    const bin = path.join(project, 'node_modules', '.bin', 'loopwatch')
    const { child, out, closed } = startNode(t, [bin, 'demo', '--port', '0'], { cwd: project })
    const url = await eventually(() => /agent +live page: (http:\/\/\S+)\n/.exec(out.stderr)?.[1], () => out.stdout + out.stderr)
    for (const [file, expected] of /** @type {[string, RegExp][]} */ ([['', /<script src=/], ['page.js', /contains the packages of/], ['runbook', /LoopwatchBlocked/]])) {
      const response = await fetch(new URL(file, url), { headers: { accept: 'text/html,*/*' } })
      assert.match(await response.text(), expected, `${file} ${response.status}`)
    }
    await eventually(() => out.stdout.includes('"event":"settled"'), () => `a block: ${out.stdout}`)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await closed
    assert.equal(code, 0, stderr)
    assert.match(stdout + stderr, /place +work +cause +blocks/)
  })

  await t.test('has types for CommonJS and ES modules that need no types of its dependencies, and ask for those of Node.js', () => {
    fs.symlinkSync(path.join(ROOT, 'test', 'node_modules', 'fastify'), path.join(project, 'node_modules', 'fastify'))
    const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts
    const typeRoots = [path.join(ROOT, 'node_modules', '@types')]
    for (const { module, moduleResolution } of [
      { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext },
      { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 },
      { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler }
    ]) {
      const files = [file('typed.mts', TYPED), ...(module === ModuleKind.ESNext ? [] : [file('typed.cts', TYPED)])]
      const program = ts.createProgram(files, {
        module, moduleResolution, target: ScriptTarget.ES2022, strict: true, noEmit: true, types: [], typeRoots
      })
      const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${fs.realpathSync(project)}/`) || fileName.startsWith(`${project}/`))
      assert.ok(ours.length > 10, `${ours.length} files`)
      const problems = ours
        .flatMap((source) => [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)])
        .map(
          ({ file, messageText }) =>
            `${path.relative(project, file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
        )
      assert.deepEqual(problems, [])
    }
  })

  await t.test('works next to a bundle that leaves it external, whose source maps lead to the source', async (t) => {
    const source = file('source.js', `import { start } from 'loopwatch'\n${APP}`)
    for (const [format, name] of /** @type {['cjs' | 'esm', string][]} */ ([['cjs', 'bundle.js'], ['esm', 'bundle.mjs']])) {
      const outfile = path.join(project, 'dist', name)
      await esbuild.build({ entryPoints: [source], outfile, format, bundle: true, platform: 'node', external: ['loopwatch'], sourcemap: true, logLevel: 'silent' })
      const { stdout, code } = await startNode(t, [outfile], { cwd: project }).closed
      assert.equal(code, 0)
      assertWatched(stdout, 'source.js')
    }
  })

  await t.test('bundled into the application, in either format, says so and lets it run; started from outside it watches it', async (t) => {
    // Packages of CommonJS in a bundle of ES modules need a require(), as esbuild does not make one.
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" }
    /** @type {[string, import('esbuild').BuildOptions][]} */
    const bundles = [
      ['inlined.js', { format: 'cjs' }],
      ['inlined.min.js', { format: 'cjs', minify: true }],
      ['inlined.mjs', { format: 'esm', banner }],
      ['inlined.min.mjs', { format: 'esm', banner, minify: true }]
    ]
    for (const [name, options] of bundles) {
      const outfile = path.join(project, 'dist', name)
      await esbuild.build({ entryPoints: [path.join(project, 'source.js')], outfile, bundle: true, platform: 'node', logLevel: 'silent', ...options })
      // Away from everything installed: a bundle is all that is deployed.
      const lone = path.join(makeDir(t), name)
      fs.copyFileSync(outfile, lone)
      const alone = await startNode(t, [lone], { cwd: path.dirname(lone) }).closed
      assert.equal(alone.code, 0, `${name}: ${alone.stderr}`)
      assert.deepEqual(JSON.parse(alone.stdout), { health: null, blocked: [], metrics: false }, name)
      assert.equal(alone.stderr.match(/\[LOOPWATCH_ERR_BUNDLED\]/g)?.length, 1, `${name}: ${alone.stderr}`)
      // The other functions have lost their names.
      if (options.minify) continue
      const preloaded = await startNode(t, ['-r', 'loopwatch/register', outfile], { cwd: project, env: { LOOPWATCH_PORT: '0', LOOPWATCH_LOG: 'false' } }).closed
      assertWatched(preloaded.stdout, name)
    }
  })

  await t.test('bundled, takes nothing of the application for its own files', async (t) => {
    const dist = makeDir(t)
    const outfile = path.join(dist, 'out', 'app.js')
    await esbuild.build({ entryPoints: [path.join(project, 'source.js')], outfile, bundle: true, platform: 'node', logLevel: 'silent' })
    for (const folder of [dist, path.dirname(outfile)]) {
      fs.mkdirSync(path.join(folder, 'watchdog'))
      fs.writeFileSync(path.join(folder, 'watchdog', 'main.js'), "require('node:fs').writeSync(2, 'somebody else')")
    }
    const { code, stderr } = await startNode(t, [outfile], { cwd: dist }).closed
    assert.equal(code, 0)
    assert.match(stderr, /LOOPWATCH_ERR_BUNDLED/)
    assert.doesNotMatch(stderr, /somebody else/)
  })
})
