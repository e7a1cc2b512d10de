'use strict'

// The types by name, in a project of an application, by the compiler that it has. package.test.js has the packed file.
const test = require('node:test')
const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { makeDir } = require('../support/files')

const ROOT = path.join(__dirname, '..', '..')
const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
const NAMES = ['Agent', 'BlockRecord', 'Load', 'Options', 'SlowIncident', 'Work']

const STRICT = {
  target: 'es2023', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, isolatedModules: true, skipLibCheck: false, noEmit: true, types: []
}
/** How applications resolve the package: Node.js by itself, and what a bundler runs. */
const SETTINGS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', verbatimModuleSyntax: true },
  bundler: { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true },
  commonjs: { module: 'nodenext', moduleResolution: 'nodenext' }
}

const SOURCE = `
import { run, start, wrap, LoopwatchError, type ${NAMES.join(', type ')} } from 'loopwatch'

const options: Options = { threshold: 100, labels: { service: 'shop' } }

export class Watch {
  readonly agent: Agent = start(options)
  latest: BlockRecord | null = null
  constructor () {
    this.agent.on('block', (block: BlockRecord) => { this.latest = block })
  }

  get isBusy (): boolean {
    const { lastSecond }: Load = this.agent.load()
    return lastSecond.utilization > 0.9
  }

  get running (): Work | null | undefined {
    return this.latest?.work
  }
}

export const render: (id: number) => string = wrap('render', (id: number) => String(id))
export const rendered: Promise<string> = run('invoice', async () => render(7), { tenant: 'acme' })
export const codeOf = (error: unknown): string | null => error instanceof LoopwatchError ? error.code : null
// @ts-expect-error a wrong option
export const wrong: Options = { treshold: 100 }
// @ts-expect-error a type that there is not, so that a package without types does not pass
export type Missing = import('loopwatch').Nonsense
`

/**
 * An application that has the package and the types of Node.js installed.
 * @param {import('node:test').TestContext} t
 */
function makeProject (t) {
  const project = makeDir(t)
  const modules = path.join(project, 'node_modules')
  fs.mkdirSync(path.join(modules, '@types'), { recursive: true })
  fs.symlinkSync(ROOT, path.join(modules, 'loopwatch'), 'dir')
  fs.symlinkSync(path.join(ROOT, 'node_modules', '@types', 'node'), path.join(modules, '@types', 'node'), 'dir')
  return project
}

for (const [name, settings] of Object.entries(SETTINGS)) {
  test(`an application names the types: ${name}`, (t) => {
    const project = makeProject(t)
    fs.writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type: name === 'commonjs' ? 'commonjs' : 'module' }))
    fs.writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...STRICT, ...settings }, files: ['app.ts'] }))
    fs.writeFileSync(path.join(project, 'app.ts'), SOURCE)
    const { status, stdout } = spawnSync(process.execPath, [TSC, '--project', project], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  })
}
