import { FlameTree } from '../../../profiles/flame-tree.js'
import { make } from '../dom.mjs'
import { Flame } from '../charts/flame.mjs'
import { duration, functionOf } from '../format.mjs'

/** What the numbers of the evidence are, in the order in which they matter. @type {[string, string][]} */
const EVIDENCE = [
  ['cpuMs', 'on a CPU'],
  ['nativeMs', 'inside native calls'],
  ['gcMs', 'in the garbage collector'],
  ['runQueueMs', 'waiting for a CPU'],
  ['throttledMs', 'out of CPU quota'],
  ['stolenMs', 'taken by the hypervisor'],
  ['answerMs', 'median answer to an interrupt'],
  ['watchdogGapMs', 'the watchdog did not run either']
]

/** One block in full: evidence, request, origin, flame graph, stacks. */
export class BlockDetails {
  #get
  #path
  #flame
  #text = make('div')
  #stacks = make('div')
  #isLoading = false
  #isStale = false

  /** @param {string} id @param {(path: string) => Promise<Response>} get */
  constructor (id, get) {
    this.#get = get
    this.#path = `blocks/${encodeURIComponent(id)}`
    this.#flame = new Flame(`Flame graph of block ${id}`)
    this.element = make('div', {}, this.#text, this.#flame.element, this.#stacks)
    this.#flame.element.hidden = true
    this.load()
  }

  async load () {
    this.#isStale = true
    if (this.#isLoading) return
    this.#isLoading = true
    while (this.#isStale) {
      this.#isStale = false
      try {
        const response = await this.#get(this.#path)
        if (response.ok) this.#show(await response.json())
        else this.#text.replaceChildren(make('p', { class: 'empty' }, response.status === 404 ? 'The agent no longer has this block in memory.' : `The agent answered ${response.status}.`))
      } catch {
        this.#text.replaceChildren(make('p', { class: 'empty' }, 'The agent does not answer.'))
      }
    }
    this.#isLoading = false
  }

  /** @param {any} record */
  #show (record) {
    const { id, pid, startedAt, uncertaintyMs, samples, evidence, request, origin, profile, probable, stacks, frame, package: found } = record
    this.#text.replaceChildren(
      list([
        ['block', `${id}, process ${pid}`],
        ['began', `${new Date(startedAt).toLocaleString()}, duration exact to ${duration(uncertaintyMs)}`],
        ...(request === null ? [] : [['request', `${request.method} ${request.route}${request.traceId ? `, trace ${request.traceId}` : ''}`]]),
        ...(origin === null ? [] : [['created', `${origin.type} at ${place(origin.frame)}`]]),
        ...(found ? [['in the package', packageOf(found)]] : []),
        ...(profile?.call ? [['in a call of', profile.call]] : []),
        ...(frame === null || frame.exact ? [] : [['line ≈', 'The stack was taken when a native call had returned: the true line may be just before, or in the caller.']]),
        ...(probable ? [['probably', `${probable.call} in line ${probable.line}`]] : []),
        ...EVIDENCE.filter(([key]) => typeof evidence[key] === 'number').map(([key, meaning]) => [meaning, duration(evidence[key])]),
        ...(evidence.requests > 1 ? [['requests seen', `${evidence.requests}`]] : []),
        ...(evidence.debugger ? [['debugger', 'attached, so no stack was taken']] : [])
      ]))
    const tree = new FlameTree()
    tree.add(record)
    const data = tree.toJSON()
    this.#flame.element.hidden = data.value === 0
    if (data.value > 0 && !this.#flame.element.matches(':hover, :focus-within')) this.#flame.draw(data)
    this.#stacks.replaceChildren(
      make('h4', {}, samples === 0 ? 'No stack was taken' : `Stacks: ${samples} ${samples === 1 ? 'sample' : 'samples'}`),
      ...stacks.map((/** @type {any} */ stack, /** @type {number} */ i) => stackOf(stack, i === 0)),
      ...(profile ? [make('h4', {}, `CPU profile: ${profile.samples} ${profile.samples === 1 ? 'sample' : 'samples'}`), ...profile.stacks.map((/** @type {any} */ stack) => stackOf(stack, false))] : []))
  }

  destroy () {
    this.#flame.destroy()
  }
}

/**
 * A package with a link to where its bugs are reported. Its package.json may say anything: only an address of the
 * web becomes a link, and none is told where it was followed from.
 * @param {{ name: string, version: string | null, bugs: string | null }} found
 */
function packageOf ({ name, version, bugs }) {
  const isLink = bugs !== null && /^https?:\/\//i.test(bugs) && URL.canParse(bugs)
  return make('span', {}, version === null ? name : `${name}@${version}`,
    ...(isLink ? [', ', make('a', { href: bugs, rel: 'noopener noreferrer', target: '_blank' }, 'its bugs')] : []))
}

/** @param {(string | Node)[][]} rows */
function list (rows) {
  return make('dl', {}, ...rows.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]))
}

/** @param {any} frame */
function place (frame) {
  return `${functionOf(frame)}${frame.file === null ? '' : ` (${frame.file}:${frame.line}:${frame.column})`}`
}

/** @param {any} stack @param {boolean} isOpen */
function stackOf ({ count, weightMs, frames }, isOpen) {
  return make('details', { open: isOpen },
    make('summary', {}, `${duration(weightMs)}, ${count} ${count === 1 ? 'sample' : 'samples'}: `, make('code', {}, frames.length === 0 ? 'no JavaScript' : functionOf(frames[0]))),
    make('ol', { class: 'stack' }, ...frames.map((/** @type {any} */ frame) => make('li', { class: isOwn(frame) ? 'own' : null }, make('code', {}, place(frame))))))
}

/** Whether a frame is of the application. @param {any} frame */
function isOwn ({ file }) {
  return file !== null && !file.startsWith('node:') && !/[\\/]node_modules[\\/]/.test(file)
}
