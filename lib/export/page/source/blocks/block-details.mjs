import { FlameTree } from '../../../profiles/flame-tree.js'
import { make } from '../dom.mjs'
import { Flame } from '../charts/flame.mjs'
import { counted, duration, functionOf } from '../format.mjs'

/** The numbers of the evidence with their meanings, in the order in which they matter. @type {[string, string][]} */
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

const LATE = 'The stack was taken when a native call had returned: the true line may be just before, or in the caller.'

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
        else if (response.status === 404) this.#say('The agent no longer has this block in memory.')
        else this.#say(`The agent answered ${response.status}.`)
      } catch {
        this.#say('The agent does not answer.')
      }
    }
    this.#isLoading = false
  }

  /** @param {string} text in place of the block */
  #say (text) {
    this.#text.replaceChildren(make('p', { class: 'empty' }, text))
  }

  /** @param {any} record */
  #show (record) {
    this.#text.replaceChildren(list([...placeRows(record), ...evidenceRows(record.evidence)]))
    const tree = new FlameTree()
    tree.add(record)
    const data = tree.toJSON()
    this.#flame.element.hidden = data.value === 0
    if (data.value > 0 && !this.#flame.element.matches(':hover, :focus-within')) this.#flame.draw(data)
    const { samples, stacks, profile } = record
    this.#stacks.replaceChildren(
      make('h4', {}, samples === 0 ? 'No stack was taken' : `Stacks: ${counted(samples, 'sample')}`),
      ...stacks.map((/** @type {any} */ stack, /** @type {number} */ i) => stackOf(stack, i === 0)),
      ...(profile ? profileOf(profile) : []))
  }

  destroy () {
    this.#flame.destroy()
  }
}

/**
 * Which block it was, and where.
 * @param {any} record
 * @returns {(string | Node)[][]}
 */
function placeRows (record) {
  const { id, pid, startedAt, uncertaintyMs, request, work, origin, profile, probable, frame, package: found } = record
  const trace = request?.traceId ? `, trace ${request.traceId}` : ''
  return [
    ['block', `${id}, process ${pid}`],
    ['began', `${new Date(startedAt).toLocaleString()}, duration exact to ${duration(uncertaintyMs)}`],
    ...(request === null ? [] : [['request', `${request.method} ${request.route}${trace}`]]),
    ...(work && work.kind !== 'request' ? workRows(work) : []),
    ...(origin === null ? [] : [['created', `${origin.type} at ${place(origin.frame)}`]]),
    ...(found ? [['in the package', packageOf(found)]] : []),
    ...(profile?.call ? [['in a call of', profile.call]] : []),
    ...(frame === null || frame.exact ? [] : [['line ≈', LATE]]),
    ...(probable ? [['probably', `${probable.call} in line ${probable.line}`]] : [])
  ]
}

/**
 * Named work that is no request, with the application's own words about it.
 * @param {any} work
 * @returns {string[][]}
 */
function workRows ({ kind, name, parent, attributes, traceId }) {
  const words = Object.entries(attributes ?? {}).map(([key, value]) => `${key} ${value}`)
  const trace = traceId ? `, trace ${traceId}` : ''
  return [
    [kind, `${name}${parent ? `, part of ${parent.kind} ${parent.name}` : ''}${trace}`],
    ...(words.length === 0 ? [] : [['attributes', words.join(', ')]])
  ]
}

/** @param {any} evidence @returns {string[][]} */
function evidenceRows (evidence) {
  const known = EVIDENCE.filter(([key]) => typeof evidence[key] === 'number')
  return [
    ...known.map(([key, meaning]) => [meaning, duration(evidence[key])]),
    ...(evidence.requests > 1 ? [['requests seen', `${evidence.requests}`]] : []),
    ...(evidence.debugger ? [['debugger', 'attached, so no stack was taken']] : [])
  ]
}

/** @param {any} profile */
function profileOf ({ samples, stacks }) {
  return [
    make('h4', {}, `CPU profile: ${counted(samples, 'sample')}`),
    ...stacks.map((/** @type {any} */ stack) => stackOf(stack, false))
  ]
}

/**
 * A package with a link to where its bugs are reported. Its package.json may say anything. Only an address of the web
 * becomes a link, and the page behind it does not learn where it was followed from.
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
  const innermost = make('code', {}, frames.length === 0 ? 'no JavaScript' : functionOf(frames[0]))
  const lines = frames.map((/** @type {any} */ frame) =>
    make('li', { class: isOwn(frame) ? 'own' : null }, make('code', {}, place(frame))))
  return make('details', { open: isOpen },
    make('summary', {}, `${duration(weightMs)}, ${counted(count, 'sample')}: `, innermost),
    make('ol', { class: 'stack' }, ...lines))
}

/** Whether a frame is of the application. @param {any} frame */
function isOwn ({ file }) {
  return file !== null && !file.startsWith('node:') && !/[\\/]node_modules[\\/]/.test(file)
}
