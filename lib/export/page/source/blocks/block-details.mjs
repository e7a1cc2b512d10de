import { FlameTree } from '../../../profiles/flame-tree.js'
import { inBytes, outOf } from '../../../../util/memory-text.js'
import { doubtOf, frameText } from '../../../../util/place-text.js'
import { conclusionIn, shownStacks } from '../../../../util/shown-stacks.js'
import { make, save } from '../dom.mjs'
import { Flame } from '../charts/flame.mjs'
import { counted, duration, functionOf, percent } from '../format.mjs'
import { isOwn } from '../model/flame-view.mjs'
import { LEAST_SHARE, timePartsOf } from '../model/labels.mjs'
import { markdownOf, whyOf } from '../model/report.mjs'

/** The numbers of the evidence with their meanings, the most important first. @type {[string, string][]} */
const EVIDENCE = [
  ['cpuMs', 'on a CPU'],
  ['runQueueMs', 'waiting for a CPU'],
  ['throttledMs', 'out of CPU quota'],
  ['stolenMs', 'taken by the hypervisor'],
  ['answerMs', 'time to answer (median)']
]

const DOUBT = 'The line is not certain: the true one may be just before it, or in the caller.'
/** How long a button shows its result. */
const SAID_MS = 2000

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
  #hasRaw = false
  /** @type {any} */
  #detail = null

  /** @param {string} id @param {(path: string) => Promise<Response>} get @param {string} link to the block */
  constructor (id, get, link) {
    this.#get = get
    this.#id = id
    this.#link = link
    this.#flame = new Flame(`Flame graph of block ${id}`)
    const raw = make('details', { class: 'raw' }, make('summary', {}, 'Details: evidence, flame graph, every stack'),
      this.#raw)
    raw.addEventListener('toggle', () => {
      this.#hasRaw = raw.open
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
        else if (response.status === 404) this.#say('This block is no longer in memory.')
        else this.#say(`The agent answered ${response.status}.`)
      } catch {
        this.#say('The agent does not respond.')
      }
    }
    this.#isLoading = false
  }

  /** @param {string} text shown in place of the block */
  #say (text) {
    this.#text.replaceChildren(make('p', { class: 'empty' }, text))
  }

  /** @param {any} detail */
  #show (detail) {
    this.#detail = detail
    const { block, source, advice, waits } = detail
    // The user may be on one of the buttons, which are about to be replaced.
    const hadFocus = this.#text.contains(document.activeElement) ? document.activeElement?.textContent : null
    const opened = [...this.#text.querySelectorAll('details')].map(({ open }) => open)
    this.#text.replaceChildren(
      make('p', { class: 'why' }, whyOf(block)),
      ...(block.frame?.exact === false ? [make('p', { class: 'quiet' }, `≈ ${DOUBT}`)] : []),
      ...doubtsOf(block.request ?? block.work),
      ...timeBar(block),
      ...adviceOf(advice, block.cause),
      ...sourceOf(source, block),
      ...waitsOf(waits),
      ...callbacksOf(block.callbacks ?? []),
      list(placeRows(block)),
      ...shownStack(block),
      this.#buttons())
    for (const [i, each] of [...this.#text.querySelectorAll('details')].entries()) {
      if (opened[i] !== undefined) {
        each.open = opened[i]
      }
    }
    if (hadFocus) {
      [...this.#text.querySelectorAll('button')].find(({ textContent }) => textContent === hadFocus)?.focus()
    }
    if (this.#hasRaw) this.#showRaw(block)
  }

  #buttons () {
    const copies = {
      'Copy as Markdown': () => this.markdown(),
      'Copy as JSON': () => JSON.stringify(this.#detail.block, null, 2),
      'Copy link': () => this.#link
    }
    const path = `blocks/${encodeURIComponent(this.#id)}`
    return make('p', { class: 'actions' },
      ...Object.entries(copies).map(([title, textOf]) => copyButton(title, textOf)),
      saveButton('Save profile', () => save(this.#get, `${path}.cpuprofile`, `loopwatch-${this.#id}.cpuprofile`)))
  }

  /** The block as text for a ticket. */
  markdown () {
    return this.#detail === null ? '' : markdownOf(this.#detail, this.#link)
  }

  /** @param {any} record */
  #showRaw (record) {
    const { frame, stacks, profile } = record
    const samples = stacks.reduce((/** @type {number} */ sum, /** @type {any} */ { count }) => sum + count, 0)
    const hasFlame = this.#raw.contains(this.#flame.element)
    const tree = new FlameTree()
    tree.add(record)
    const data = tree.toJSON()
    if (!hasFlame) this.#raw.replaceChildren(make('div'), this.#flame.element, make('div'))
    const [first, , last] = [...this.#raw.children]
    first.replaceChildren(list(evidenceRows(record)))
    const hasStack = stacks.length + (profile?.stacks?.length ?? 0) > 0
    this.#flame.element.hidden = !hasStack
    if (hasStack && !this.#flame.element.matches(':hover, :focus-within')) this.#flame.draw(data)
    last.replaceChildren(
      make('h3', {}, samples === 0 ? 'No stack was taken' : `Stacks: ${counted(samples, 'sample')}`),
      ...stacksOf(stacks, frame),
      ...(profile ? profileOf(profile, frame) : []))
  }

  destroy () {
    this.#flame.destroy()
  }
}

/** @param {string} title @param {() => string} textOf */
function copyButton (title, textOf) {
  return saveButton(title, async () => { await navigator.clipboard.writeText(textOf()) })
}

/** A button that says whether its work is done. @param {string} title @param {() => Promise<void>} act */
function saveButton (title, act) {
  const button = make('button', { type: 'button' }, title)
  button.addEventListener('click', async () => {
    // A page that another machine served without TLS has no clipboard.
    const said = await act().then(() => 'Done', () => 'Not allowed here')
    button.textContent = said
    setTimeout(() => { button.textContent = title }, SAID_MS)
  })
  return button
}

/** The time of a block, in parts that add up to the whole. @param {any} record */
function timeBar (record) {
  const parts = timePartsOf(record)
  if (parts.length === 0) return []
  const bar = make('div', { class: 'time-bar', 'aria-hidden': 'true' }, ...parts.map(({ cause, ms }) => {
    const piece = make('span', { class: `chip cause-${cause}` })
    piece.style.inlineSize = `${ms / record.durationMs * 100}%`
    return piece
  }))
  const shown = parts.filter(({ ms }) => ms >= record.durationMs * LEAST_SHARE)
  const key = make('ul', { class: 'legend' }, ...shown.map(({ cause, label, ms }) =>
    make('li', {}, make('span', { class: `chip cause-${cause}` }), `${label} ${duration(ms)}`)))
  return [bar, key]
}

/** @param {{ kind: string, text: string, doc: string }[]} advice @param {string} cause */
function adviceOf (advice, cause) {
  // Such as docs/causes/js.md, which the agent serves as a part of one page.
  const more = (/** @type {string} */ doc) => {
    const name = doc.replace(/^docs\/causes\/(.+)\.md$/, '$1')
    return make('a', { href: `causes#${name}` }, `More about ${name}`)
  }
  if (advice.length === 0) return [make('p', {}, more(cause))]
  return [make('h3', {}, 'What to do'), make('ul', { class: 'advice' }, ...advice.map(({ text, doc }) =>
    make('li', {}, `${text} `, more(doc))))]
}

/** The lines around the blamed one, with their share of the samples. @param {any} source @param {any} block */
function sourceOf (source, block) {
  if (source === null) return []
  const { file, line: blamed, lines } = source
  const rows = lines.map((/** @type {{ line: number, text: string, share: number }} */ { line, text, share }) => {
    const heat = make('span', { class: 'heat', 'aria-hidden': 'true' })
    heat.style.opacity = `${Math.min(1, share)}`
    return make('tr', { class: line === blamed ? 'blamed' : null },
      make('td', { class: 'line-number' }, `${line === blamed && block.frame.exact === false ? '≈ ' : ''}${line}`),
      make('td', { class: 'line-share' }, heat, share > 0 ? percent(share) : ''),
      make('td', { class: 'line-text' }, make('code', {}, text === '' ? ' ' : text)))
  })
  return [
    make('h3', {}, make('code', {}, `${file}:${blamed}`)),
    make('div', { class: 'source', tabindex: '0', role: 'region', 'aria-label': `Source around line ${blamed}` },
      make('table', {}, make('tbody', {}, ...rows)))
  ]
}

/** @param {any} waits */
function waitsOf ({ requests, longestMs, routes }) {
  if (requests === 0) return []
  const each = routes.map((/** @type {any} */ { name, count, longestMs: ms }) =>
    make('li', {}, make('code', {}, name), ` ${counted(count, 'time')}, up to ${duration(ms)}`))
  const head = `${counted(requests, 'request')} waited, the longest ${duration(longestMs)}`
  return [make('h3', {}, head), make('ul', { class: 'waits' }, ...each)]
}

/** @param {any[]} callbacks of the turn */
function callbacksOf (callbacks) {
  if (callbacks.length === 0) return []
  const each = callbacks.map(({ kind, event, frame, work, weightMs }) =>
    make('li', {}, `${event ? `'${event}'` : kind} `, make('code', {}, functionOf(frame)),
      `${work === null ? '' : `, ${work}`} ${duration(weightMs)}`))
  return [make('h3', {}, 'Callbacks in this turn'), make('ul', { class: 'waits' }, ...each)]
}

/** Which block it was, and where. @param {any} record @returns {(string | Node)[][]} */
function placeRows (record) {
  const { id, pid, startedAt, uncertaintyMs, request, work, origin, calledFrom, allowed } = record
  const { package: found, packageIssue } = record
  return [
    ['block', `${id}, process ${pid}`],
    ['began', `${new Date(startedAt).toLocaleString()}, duration exact to ${duration(uncertaintyMs)}`],
    ...(work && work.kind !== 'request' ? workRows(work) : []),
    ...(request?.traceId ? [['trace', request.traceId]] : []),
    ...(origin === null ? [] : [['created', `${origin.type} at ${place(origin.frame)}`]]),
    ...(allowed ? [['allowed', allowed]] : []),
    ...(found ? [['in the package', packageOf(found)]] : []),
    ...(packageIssue ? [['known issue', linkTo(packageIssue.link, packageIssue.id) ?? packageIssue.id]] : []),
    ...(calledFrom ? [['called from', place(calledFrom)]] : [])
  ]
}

/** Named work other than a request, with the application's attributes. @param {any} work @returns {string[][]} */
function workRows ({ kind, name, parent, attributes, traceId }) {
  const words = Object.entries(attributes ?? {}).map(([key, value]) => `${key} ${value}`)
  const trace = traceId ? `, trace ${traceId}` : ''
  return [
    [kind, `${name}${parent ? `, part of ${parent.kind} ${parent.name}` : ''}${trace}`],
    ...(words.length === 0 ? [] : [['attributes', words.join(', ')]])
  ]
}

/** Numbers that are zero are left out. @param {any} record @returns {string[][]} */
function evidenceRows ({ evidence, frame, profile, probable }) {
  const known = EVIDENCE.filter(([key]) => typeof evidence[key] === 'number' && evidence[key] > 0)
  return [
    ...known.map(([key, meaning]) => [meaning, duration(evidence[key])]),
    ...memoryRows(evidence.memory ?? {}),
    ...(evidence.sleptIn ? [['asleep in', evidence.sleptIn.text]] : []),
    ...(evidence.requests > 1 ? [['requests seen', `${evidence.requests}`]] : []),
    ...(profile?.call ? [['in a call of', profile.call]] : []),
    ...(frame?.because?.length > 0 ? [['reasons for the line', frame.because.join(', ')]] : []),
    ...(probable ? [['probably', `${probable.call} in line ${probable.line}`]] : [])
  ]
}

/** The memory of a block, as far as it is known. @param {any} memory @returns {string[][]} */
function memoryRows (memory) {
  const { heapUsedBytes, heapFreedBytes, heapLimitBytes, rssBytes, cgroupBytes, cgroupLimitBytes, ...waits } = memory
  const freed = heapFreedBytes > 0 ? `, ${percent(heapFreedBytes / heapUsedBytes)} of it freed` : ''
  return [
    ...(heapLimitBytes ? [['heap in use', `${outOf(heapUsedBytes, heapLimitBytes)}${freed}`]] : []),
    ...(rssBytes ? [['resident memory', inBytes(rssBytes)]] : []),
    ...(cgroupLimitBytes ? [['memory of the container', outOf(cgroupBytes, cgroupLimitBytes)]] : []),
    ...(waits.majorFaults > 0 ? [['pages read from disk', `${waits.majorFaults}`]] : []),
    ...(waits.memoryStallMs > 0 ? [['the machine waited for memory', duration(waits.memoryStallMs)]] : []),
    ...(waits.ioStallMs > 0 ? [['the machine waited for disks', duration(waits.ioStallMs)]] : [])
  ]
}

/** Why it is not certain what was being worked on. @param {any} work null or undefined if it is unknown */
function doubtsOf (work) {
  if (work?.exact !== false) return []
  const oldest = work.among ? `: it is the oldest of ${work.among} in flight` : ''
  return [make('p', { class: 'quiet' }, `≈ ${nameOf(work)} may not be what was running${oldest}.`)]
}

/** @param {any} work */
const nameOf = ({ method, route, name }) => route === undefined ? name : `${method} ${route}`

/** The heaviest stack of a block, and which evidence it is. @param {any} block */
function shownStack (block) {
  const { stacks, isProfiled } = shownStacks(block)
  const from = isProfiled ? [make('p', { class: 'quiet' }, `By the CPU profile. ${BEGINS}`)] : []
  return stacks.length === 0 ? [] : [...from, stackOf(stacks[0], block.frame, true)]
}

const BEGINS = 'V8 samples only the innermost line: callers are shown where they begin.'

/** @param {any} profile @param {any} blamed frame */
function profileOf ({ samples, stacks }, blamed) {
  return [
    make('h3', {}, `CPU profile: ${counted(samples, 'sample')}`),
    make('p', { class: 'quiet' }, BEGINS),
    ...stacksOf(stacks, blamed)
  ]
}

/**
 * A package.json or a recording may contain anything: only a web address becomes a link, and its page gets no referrer.
 * @param {string | null} href @param {string} text @returns {Node | null}
 */
function linkTo (href, text) {
  const isLink = href !== null && /^https?:\/\//i.test(href) && URL.canParse(href)
  return isLink ? make('a', { href, rel: 'noopener noreferrer', target: '_blank' }, text) : null
}

/**
 * A package with a link to its bug tracker.
 * @param {{ name: string, version: string | null, bugs: string | null }} found
 */
function packageOf ({ name, version, bugs }) {
  const link = linkTo(bugs, 'its bugs')
  return make('span', {}, version === null ? name : `${name}@${version}`, ...(link ? [', ', link] : []))
}

/** @param {(string | Node)[][]} rows */
function list (rows) {
  return make('dl', {}, ...rows.flatMap(([term, value]) => [make('dt', {}, term), make('dd', {}, value)]))
}

/** @param {any} frame */
function place (frame) {
  const { file, line, column } = frame
  return `${doubtOf(frame)}${functionOf(frame)}${file === null ? '' : ` (${file}:${line}:${column})`}`
}

/** The heaviest has the mark of the concluded line. @param {any[]} stacks @param {any} blamed frame */
const stacksOf = (stacks, blamed) => stacks.map((stack, i) => stackOf(stack, i === 0 ? blamed : null, false))

/**
 * A stack as it was taken, with the concluded line next to its function, or before the stack. Runs of frames of Node.js
 * and packages are folded into one row.
 * @param {any} stack @param {any} blamed frame @param {boolean} isOpen
 */
function stackOf ({ count, weightMs, frames, isEntered }, blamed, isOpen) {
  const innermost = make('code', {}, frames.length === 0 ? 'no JavaScript' : functionOf(frames[0]))
  const mark = conclusionIn(frames.map(frameText), blamed)
  const entered = isEntered
    ? [make('p', { class: 'quiet' }, `${functionOf(frames[0])} had just been entered: the time was spent before.`)]
    : []
  return make('details', { open: isOpen },
    make('summary', {}, `${duration(weightMs)}, ${counted(count, 'sample')}: `, innermost),
    ...(mark?.at === -1 ? [make('p', { class: 'concluded' }, mark.text)] : []),
    ...entered,
    make('ol', { class: 'stack' }, ...foldedFrames(frames, mark)))
}

/** @param {any[]} frames innermost first @param {{ at: number, text: string } | null} mark of a line */
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
  const line = (/** @type {any} */ frame) => [
    make('code', {}, place(frame)),
    ...(frame === marked ? [make('span', { class: 'concluded' }, `, ${mark?.text}`)] : [])
  ]
  return runs.map((run) => {
    if (run.length < 3) return run.map((frame) => make('li', { class: isOwn(frame) ? 'own' : null }, ...line(frame)))
    return [make('li', {}, make('details', {}, make('summary', {},
      `${counted(run.length, 'frame')} of Node.js and packages`),
    make('ol', { class: 'stack' }, ...run.map((frame) => make('li', {}, ...line(frame))))))]
  }).flat()
}
