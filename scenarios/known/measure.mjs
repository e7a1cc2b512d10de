// Runs one case on one installed version, and prints its time and the share of samples that each function of the
// package has on the stack: node measure.mjs <folder> <installed as> <module of the case> <its identifier> <version>
import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const INTERVAL_MICROS = 1000

const [folder, installedAs, module, id, version] = process.argv.slice(2)
const { load } = await import(pathToFileURL(path.join(folder, 'load.mjs')).href)
const names = await load(installedAs)
const { cases } = (await import(pathToFileURL(module).href)).default
const lib = 'default' in names ? names.default : names
const { prepare } = cases.find((each) => each.id === id && each.pairs.flat().includes(version))
const call = await prepare(lib, { load, as: installedAs, isCured: process.argv.includes('--cured') })
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
await session.post('Profiler.start')
const beganMs = performance.now()
try {
  await call()
} catch (error) {
  // Fixed versions may refuse the input.
  console.error(error.message)
}
const ms = performance.now() - beganMs
const { profile } = await session.post('Profiler.stop')
console.log(JSON.stringify({ ms, shares: sharesIn(profile) }))
process.exit()

/** Share of samples with each function of this package on the stack. */
function sharesIn ({ nodes, samples }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const counts = {}
  for (const id of samples) {
    const functions = new Set()
    for (let at = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = byId.get(at).callFrame
      if (url.includes(`/node_modules/${installedAs}/`)) functions.add(functionName.split(/[. ]/).at(-1))
    }
    for (const name of functions) counts[name] = (counts[name] ?? 0) + 1
  }
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / samples.length])
    .filter(([, share]) => share >= 0.1).sort((a, b) => b[1] - a[1]))
}
