import { FlameTree } from '../../../profiles/flame-tree.js'
import { inBytes, outOf, sharesText } from '../../../../util/memory-text.js'
import { asleepText, doubtOf, frameText } from '../../../../util/place-text.js'
import { queryText } from '../../../../util/sentence.js'
import { conclusionIn, shownStacks } from '../../../../util/shown-stacks.js'
import { actionButton, chip, fill, make, save } from '../dom.mjs'
import { Flame } from '../charts/flame.mjs'
import { counted, duration, functionOf, percent } from '../format.mjs'
import { isOwn } from '../model/flame-view.mjs'
import { LEAST_SHARE, timePartsOf } from '../model/labels.mjs'
import { markdownOf, whyOf } from '../model/report.mjs'

/** @typedef {[term: string, value: Node | string | number | boolean | null | undefined]} Row hidden without a value */

/** Times of the evidence with their meanings, the most important first. @type {[string, string][]} */
const EVIDENCE = [
  ['cpuMs', 'on a CPU'],
  ['runQueueMs', 'waiting for a CPU'],
  ['throttledMs', 'out of CPU quota'],
  ['stolenMs', 'taken by the hypervisor'],
  ['answerMs', 'time to answer (median)']
]

const DOUBT = 'The line is not certain: the true one may be just before it, or in the caller.'
const CALLERS_BEGIN = 'V8 samples only the innermost line: callers are shown where they begin.'

/** One block in full: why, its time, source, stack, who waited, what to do. The raw evidence is folded. */
export class BlockDetails {
  #get
  #id
  #link
  #flame
  #text = make('div')
  #raw = make('div')
  #isLoading = false
  #isStale = false
  #isRawOpen = false
  /** @type {any} */
  #detail = null

  /** @param {string} id @param {(path: string) => Promise<Response>} get @param {string} link to the block */
  constructor (id, get, link) {
    this.#get = get
    this.#id = id
    this.#link = link
    this.#flame = new Flame(`Flame graph of block ${id}`)
    const summary = make('summary', {}, 'Details: evidence, flame graph, every stack')
    const raw = make('details', { class: 'raw' }, summary, this.#raw)
    raw.addEventListener('toggle', () => {
      this.#isRawOpen = raw.open
      if (this.#detail !== null) this.#showRaw(this.#detail.block)
    })
    this.element = make('div', {}, this.#text, raw)
    this.load()
  }

  async load () {
    this.#isStale = true
    if (this.#isLoading) return
    this.#isLoading = true
    while (this.#isStale) {
      this.#isStale = false
      try {
        const response = await this.#get(`block?id=${encodeURIComponent(this.#id)}`)
        if (response.ok) this.#show(await response.json())
        else if (response.status === 404) this.#showFailure('This block is no longer in memory.')
        else this.#showFailure(`The agent returned ${response.status}.`)
      } catch {
        this.#showFailure('The agent does not respond.')
      }
    }
    this.#isLoading = false
  }

  /** @param {string} text */
  #showFailure (text) {
    fill(this.#text, make('p', { class: 'empty' }, text))
  }

  /** @param {any} detail */
  #show (detail) {
    this.#detail = detail
    const { block, source, advice, waits } = detail
    const foldsOf = () => [...this.#text.querySelectorAll('details')]
    // The focus may be on one of the buttons, which are about to be replaced.
    const focused = this.#text.contains(document.activeElement) ? document.activeElement?.textContent : null
    const wereOpen = foldsOf().map(({ open }) => open)
    fill(this.#text,
      make('p', { class: 'why' }, whyOf(block)),
      block.frame?.exact === false && make('p', { class: 'quiet' }, `≈ ${DOUBT}`),
      doubtfulWork(block.request ?? block.work),
      timeBar(block),
      adviceOn(block.cause, advice),
      sourceTable(source, block),
      waitsList(waits),
      callbackList(block.callbacks ?? []),
      list(placeRows(block)),
      heaviestStack(block),
      this.#buttons())
    for (const [i, fold] of foldsOf().entries()) fold.open = wereOpen[i] ?? fold.open
    if (focused) [...this.#text.querySelectorAll('button')].find(({ textContent }) => textContent === focused)?.focus()
    if (this.#isRawOpen) this.#showRaw(block)
  }

  #buttons () {
    const copies = {
      'Copy as Markdown': () => this.markdown(),
      'Copy as JSON': () => JSON.stringify(this.#detail.block, null, 2),
      'Copy link': () => this.#link
    }
    const path = `blocks/${encodeURIComponent(this.#id)}.cpuprofile`
    return make('p', { class: 'actions' },
      // A page that another machine served without TLS has no clipboard.
      Object.entries(copies).map(([title, textOf]) =>
        actionButton(title, async () => navigator.clipboard.writeText(textOf()))),
      actionButton('Save profile', () => save(this.#get, path, `loopwatch-${this.#id}.cpuprofile`)))
  }

  /** The block as text for a ticket. */
  markdown () {
    return this.#detail === null ? '' : markdownOf(this.#detail, this.#link)
  }

  /** @param {any} record */
  #showRaw (record) {
    const { frame, stacks, profile } = record
    const samples = stacks.reduce((/** @type {number} */ sum, /** @type {any} */ { count }) => sum + count, 0)
    const tree = new FlameTree()
    tree.add(record)
    if (!this.#raw.contains(this.#flame.element)) fill(this.#raw, make('div'), this.#flame.element, make('div'))
    const [evidence, , everyStack] = this.#raw.children
    fill(evidence, list(evidenceRows(record)))
    const hasStack = stacks.length + (profile?.stacks?.length ?? 0) > 0
    this.#flame.element.hidden = !hasStack
    // The user may be reading the graph.
    if (hasStack && !this.#flame.element.matches(':hover, :focus-within')) this.#flame.draw(tree.toJSON())
    fill(everyStack,
      make('h3', {}, samples === 0 ? 'No stack was taken' : `Stacks: ${counted(samples, 'sample')}`),
      stacksOf(stacks, frame),
      profile && [
        make('h3', {}, `CPU profile: ${counted(profile.samples, 'sample')}`),
        make('p', { class: 'quiet' }, CALLERS_BEGIN),
        ...stacksOf(profile.stacks, frame)
      ])
  }

  destroy () {
    this.#flame.destroy()
  }
}

/** The time of a block, in parts that add up to the whole. @param {any} record */
function timeBar (record) {
  const parts = timePartsOf(record)
  if (parts.length === 0) return null
  const pieces = parts.map(({ cause, ms }) => {
    const piece = chip(cause)
    piece.style.inlineSize = `${ms / record.durationMs * 100}%`
    return piece
  })
  const named = parts.filter(({ ms }) => ms >= record.durationMs * LEAST_SHARE)
  return [
    make('div', { class: 'time-bar', 'aria-hidden': 'true' }, pieces),
    make('ul', { class: 'legend' }, named.map(({ cause, label, ms }) =>
      make('li', {}, chip(cause), `${label} ${duration(ms)}`)))
  ]
}

/** @param {string} cause @param {{ text: string, doc: string }[]} advice `doc`: such as docs/causes/js.md */
function adviceOn (cause, advice) {
  // The agent serves the documents as one page.
  const linkTo = (/** @type {string} */ name) => make('a', { href: `causes#${name}` }, `More about ${name}`)
  if (advice.length === 0) return make('p', {}, linkTo(cause))
  return [
    make('h3', {}, 'What to do'),
    make('ul', { class: 'advice' }, advice.map(({ text, doc }) =>
      make('li', {}, `${text} `, linkTo(doc.replace(/^docs\/causes\/(.+)\.md$/, '$1')))))
  ]
}

/** The lines around the blamed one, with their share of the samples. @param {any} source @param {any} block */
function sourceTable (source, block) {
  if (source === null) return null
  const { file, line: blamed, lines } = source
  const rows = lines.map((/** @type {{ line: number, text: string, share: number }} */ { line, text, share }) => {
    const heat = make('span', { class: 'heat', 'aria-hidden': 'true' })
    heat.style.opacity = `${Math.min(1, share)}`
    const isBlamed = line === blamed
    return make('tr', { class: isBlamed && 'blamed' },
      make('td', { class: 'line-number' }, `${isBlamed ? doubtOf(block.frame) : ''}${line}`),
      make('td', { class: 'line-share' }, heat, share > 0 && percent(share)),
      make('td', { class: 'line-text' }, make('code', {}, text || ' ')))
  })
  return [
    make('h3', {}, make('code', {}, `${file}:${blamed}`)),
    make('div', { class: 'source', tabindex: '0', role: 'region', 'aria-label': `Source around line ${blamed}` },
      make('table', {}, make('tbody', {}, rows)))
  ]
}

/** @param {any} waits */
function waitsList ({ requests, longestMs, routes }) {
  return requests > 0 && [
    make('h3', {}, `${counted(requests, 'request')} waited, the longest ${duration(longestMs)}`),
    make('ul', { class: 'waits' }, routes.map((/** @type {any} */ { name, count, longestMs: ms }) =>
      make('li', {}, make('code', {}, name), ` ${counted(count, 'time')}, up to ${duration(ms)}`)))
  ]
}

/** @param {any[]} callbacks of the turn */
function callbackList (callbacks) {
  return callbacks.length > 0 && [
    make('h3', {}, 'Callbacks in this turn'),
    make('ul', { class: 'waits' }, callbacks.map(({ kind, event, frame, work, weightMs }) =>
      make('li', {}, `${event ? `'${event}'` : kind} `, make('code', {}, functionOf(frame)),
        `${work === null ? '' : `, ${work}`} ${duration(weightMs)}`)))
  ]
}

/** Which block it was, and where. @param {any} record @returns {Row[]} */
function placeRows (record) {
  const { id, pid, startedAt, uncertaintyMs, request, work, origin, calledFrom, allowed } = record
  const { package: owner, packageIssue } = record
  return [
    ['block', `${id}, process ${pid}`],
    ['began', `${new Date(startedAt).toLocaleString()}, duration ±${duration(uncertaintyMs)}`],
    ...(work && work.kind !== 'request' ? workRows(work) : []),
    ['trace', request?.traceId],
    ['created', origin && `${origin.type} at ${placeText(origin.frame)}`],
    ['allowed', allowed],
    ['in the package', owner && packageLink(owner)],
    ['known issue', packageIssue && (linkTo(packageIssue.link, packageIssue.id) || packageIssue.id)],
    ['called from', calledFrom && placeText(calledFrom)]
  ]
}

/** Named work other than a request, with the application's attributes. @param {any} work @returns {Row[]} */
function workRows ({ kind, name, parent, attributes, traceId }) {
  const whole = parent ? `, part of ${parent.kind} ${parent.name}` : ''
  return [
    [kind, `${name}${whole}${traceId ? `, trace ${traceId}` : ''}`],
    ['attributes', Object.entries(attributes ?? {}).map(([key, value]) => `${key} ${value}`).join(', ')]
  ]
}

/** @param {any} record @returns {Row[]} */
function evidenceRows ({ evidence, frame, profile, probable, query }) {
  const { sleptIn, requests } = evidence
  const { heapUsedBytes, heapFreedBytes, heapLimitBytes, heapProfile, rssBytes, ...others } = evidence.memory ?? {}
  const { cgroupBytes, cgroupLimitBytes, ...waits } = others
  const freed = heapFreedBytes > 0 ? `, ${percent(heapFreedBytes / heapUsedBytes)} of it freed` : ''
  return [
    ...EVIDENCE.map(([key, meaning]) => /** @type {Row} */ ([meaning, evidence[key] > 0 && duration(evidence[key])])),
    ['heap in use', heapLimitBytes && `${outOf(heapUsedBytes, heapLimitBytes)}${freed}`],
    ['memory was allocated', heapProfile?.allocatedBy && sharesText(heapProfile.allocatedBy)],
    ['what stayed in use', heapProfile?.keptBy && sharesText(heapProfile.keptBy)],
    ['resident memory', rssBytes && inBytes(rssBytes)],
    ['memory of the container', cgroupLimitBytes && outOf(cgroupBytes, cgroupLimitBytes)],
    ['pages read from disk', waits.majorFaults > 0 && `${waits.majorFaults}`],
    ['the machine waited for memory', waits.memoryStallMs > 0 && duration(waits.memoryStallMs)],
    ['the machine waited for disks', waits.ioStallMs > 0 && duration(waits.ioStallMs)],
    ['the thread', sleptIn && asleepText(sleptIn.text)],
    ['requests seen', requests > 1 && `${requests}`],
    ['statement', query && queryText(query)],
    ['in a call of', profile?.call],
    ['reasons for the line', frame?.because?.join(', ')],
    ['probably', probable && `${probable.call} in line ${probable.line}`]
  ]
}

/** Why the work in progress is not certain. @param {any} work null or undefined without any */
function doubtfulWork (work) {
  if (work?.exact !== false) return null
  const { method, route, name, among } = work
  const oldest = among ? `: this one is the oldest of ${among} in flight` : ''
  const title = route === undefined ? name : `${method} ${route}`
  return make('p', { class: 'quiet' }, `≈ ${title} may not be what was running${oldest}.`)
}

/** @param {any} block */
function heaviestStack (block) {
  const { stacks: [heaviest], isProfiled } = shownStacks(block)
  if (heaviest === undefined) return null
  const note = isProfiled && make('p', { class: 'quiet' }, `By the CPU profile. ${CALLERS_BEGIN}`)
  return [note, stackOf(heaviest, block.frame, true)]
}

/**
 * A package.json or a recording may contain anything: only a web address becomes a link, and its page gets no referrer.
 * @param {string | null} href @param {string} text @returns {Node | false}
 */
function linkTo (href, text) {
  const isLink = /^https?:\/\//i.test(href ?? '') && URL.canParse(href ?? '')
  return isLink && make('a', { href, rel: 'noopener noreferrer', target: '_blank' }, text)
}

/**
 * A package with a link to its bug tracker.
 * @param {{ name: string, version: string | null, bugs: string | null }} owner
 */
function packageLink ({ name, version, bugs }) {
  const link = linkTo(bugs, 'its bugs')
  return make('span', {}, version === null ? name : `${name}@${version}`, link && [', ', link])
}

/** @param {Row[]} rows */
function list (rows) {
  return make('dl', {}, rows.flatMap(([term, value]) =>
    value ? [make('dt', {}, term), make('dd', {}, /** @type {string | Node} */ (value))] : []))
}

/** @param {any} frame */
const placeText = (frame) => `${doubtOf(frame)}${frameText(frame)}`

/** The heaviest has the mark of the concluded line. @param {any[]} stacks @param {any} blamed frame */
const stacksOf = (stacks, blamed) => stacks.map((stack, i) => stackOf(stack, i === 0 ? blamed : null, false))

/**
 * A stack as it was taken, with the concluded line next to its function, or before the stack.
 * @param {any} stack @param {any} blamed frame @param {boolean} isOpen
 */
function stackOf ({ count, weightMs, frames, isEntered }, blamed, isOpen) {
  const innermost = frames.length === 0 ? 'no JavaScript' : functionOf(frames[0])
  const mark = conclusionIn(frames.map(frameText), blamed)
  return make('details', { open: isOpen },
    make('summary', {}, `${duration(weightMs)}, ${counted(count, 'sample')}: `, make('code', {}, innermost)),
    mark?.at === -1 && make('p', { class: 'concluded' }, mark.text),
    isEntered && make('p', { class: 'quiet' }, `${innermost} had just been entered: the time was spent before.`),
    make('ol', { class: 'stack' }, foldedFrames(frames, mark)))
}

/**
 * Folds runs of frames of Node.js and packages into one row.
 * @param {any[]} frames innermost first @param {{ at: number, text: string } | null} mark of a line
 */
function foldedFrames (frames, mark) {
  const marked = frames[mark?.at ?? -1]
  /** @type {any[][]} */
  const runs = []
  for (const frame of frames) {
    const last = runs.at(-1)
    const isFolded = last !== undefined && [frame, ...last].every((each) => !isOwn(each) && each !== marked)
    if (isFolded) last.push(frame)
    else runs.push([frame])
  }
  const row = (/** @type {any} */ frame) => make('li', { class: isOwn(frame) && 'own' },
    make('code', {}, placeText(frame)),
    frame === marked && make('span', { class: 'concluded' }, `, ${mark?.text}`))
  return runs.flatMap((run) => run.length < 3
    ? run.map(row)
    : make('li', {}, make('details', {},
      make('summary', {}, `${counted(run.length, 'frame')} of Node.js and packages`),
      make('ol', { class: 'stack' }, run.map(row)))))
}
