'use strict'

// Commands in documents, checked by what they name: subcommands and flags of loopwatch, scripts of package.json, files.
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { ROOT } = require('./markdown')
const { BIN } = require('./world')

const { scripts } = require('../../../package.json')
const NPM_COMMANDS = ['audit', 'ci', 'install', 'pack', 'view']
/** Programs that documents may name; what they are given is theirs. */
const OTHERS = ['curl', 'docker', 'kubectl', 'go', 'esbuild', 'next', 'tsx', 'flamegraph.pl', 'git', '--banner:js=import']

/**
 * @typedef {object} Help
 * @property {string} text
 * @property {Map<string, boolean>} flags with whether they take a value
 * @property {Map<string, string>} defaults
 * @property {string[]} commands
 */

/** @type {Map<string, Help>} by subcommand, '' = none */
const helps = new Map()

/**
 * What `loopwatch <command> --help` lists.
 * @param {string} command
 */
function helpOf (command) {
  const known = helps.get(command)
  if (known !== undefined) return known
  const { stdout } = spawnSync(process.execPath, [BIN, ...(command === '' ? [] : [command]), '--help'], { encoding: 'utf8', cwd: ROOT })
  const flags = new Map([...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)( <)?/gm)].map(([, flag, value]) => [flag, value !== undefined]))
  const help = { flags, commands: [...stdout.matchAll(/^ {2}([a-z]+) (?=[[<])/gm)].map(([, name]) => name) }
  const lines = stdout.replace(/\n {10,}/g, ' ')
  const ofDefaults = lines.matchAll(/^ {2}(--[\w-]+).*\(default:? "?([^")]+)/gm)
  const defaults = new Map([...ofDefaults].map(([, flag, value]) => [flag, value]))
  helps.set(command, { ...help, text: stdout, defaults })
  return /** @type {Help} */ (helps.get(command))
}
exports.helpOf = helpOf

/**
 * Commands of loopwatch within sentences: in Markdown as code, in messages in single quotes. `…` stands for more.
 * @param {string} text
 */
exports.namedIn = (text) => [...text.matchAll(/(?<=(['`]))(?:npx (?:-y |--yes )?)?loopwatch [a-z-][^'`]*(?=\1)/g)]
  .map(([command]) => command.replace(/\s+/g, ' ').replace(/ ?…$/, ''))

/** The commands of a block, one after the other; a line that ends with \ goes on. @param {string} text */
exports.commandsIn = (text) => text.replace(/\\\n\s*/g, ' ').split('\n').map((line) => line.replace(/\s+# .*$/, '').trim()).filter((line) => line !== '' && !line.startsWith('#'))

/** Words of a command, without quotes. @param {string} text */
const words = (text) => [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/['"]/g, ''))

/**
 * What is wrong with a command line; null where all that it names is there.
 * @param {string} line
 * @returns {string | null}
 */
exports.faultOf = (line) => {
  for (const part of line.replace(/ \d?>&?\d?(?= |$)| > \S+/g, ' ').split(/ && | \| /)) {
    const all = words(part)
    while (/^[A-Z_]+=/.test(all[0] ?? '')) all.shift()
    const fault = faultIn(all[0] === 'npx' ? all.slice(['-y', '--yes'].includes(all[1]) ? 2 : 1) : all)
    if (fault !== null) return `${fault} in "${part.trim()}"`
  }
  return null
}

/** @param {string[]} command */
function faultIn ([program, ...args]) {
  if (program === 'loopwatch') return loopwatchFault(args)
  if (program === 'npm') return npmFault(args)
  if (program === 'node') return nodeFault(args)
  if (OTHERS.some((name) => program === name || program.startsWith('--banner'))) return null
  return `an unknown program ${program}`
}

/** @param {string[]} args */
function loopwatchFault ([first, ...rest]) {
  if (first.startsWith('--')) return helpOf('').flags.has(first) ? null : `no flag ${first}`
  if (!helpOf('').commands.includes(first)) return `no command ${first}`
  if (first === 'docs' && rest.length > 0 && !/^[A-Z<[]/.test(rest[0])) return spawnSync(process.execPath, [BIN, 'docs', rest[0]]).status === 0 ? null : `no document ${rest[0]}`
  const { flags } = helpOf(first)
  // What stands behind the application, or after --, is the application's.
  for (let i = 0; i < rest.length && rest[i] !== '--'; i++) {
    const [name, value] = rest[i].split('=', 2)
    if (!name.startsWith('--')) {
      if (first === 'run') return null
      continue
    }
    const takesValue = flags.get(name)
    if (takesValue === undefined) return `no flag ${name}`
    if (takesValue && value === undefined) i++
  }
  return null
}

/** @param {string[]} args */
function npmFault ([first, second]) {
  const script = first === 'run' ? second : ['start', 'test'].includes(first) ? first : null
  if (script !== null) return script in scripts ? null : `no script ${script}`
  return NPM_COMMANDS.includes(first) ? null : `an unexpected npm ${first}`
}

/** Of files of the repository alone: the application's are its own. @param {string[]} args */
function nodeFault (args) {
  const file = args.find((arg) => /^(scenarios|test|grafana|docs)\//.test(arg))
  return file === undefined || fs.existsSync(path.join(ROOT, file)) ? null : `no file ${file}`
}
