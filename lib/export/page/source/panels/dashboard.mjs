import { BlockList } from '../blocks/block-list.mjs'
import { Charts } from '../charts/charts.mjs'
import { FlameOfAll } from '../charts/flame-of-all.mjs'
import { Timeline } from '../charts/timeline.mjs'
import { byId, saveButton, setNote, setText } from '../dom.mjs'
import { duration, clock } from '../format.mjs'
import { withSharedNames } from '../../../culprits.js'
import { inRange, isFiltered, isMatch, isShown, queryOf, windowOf } from '../model/choose.mjs'
import { culpritsOf, threadsOf, victimsOf } from '../model/culprits.mjs'
import { CulpritTable, peerTable, threadTable, victimTable } from './culprits.mjs'
import { FilterBar } from './filter-bar.mjs'
import { Records } from './records.mjs'
import { ViewState } from './view.mjs'
import { isMain } from '../model/strip.mjs'
import { asideNote, comparison, verdictOf } from '../model/verdict.mjs'

/** Events within this time are drawn together. */
const DRAW_MS = 50

/** Everything below the strip. The filters choose one set of blocks, which all panels show. */
export class Dashboard {
  #records = new Records()
  #view = new ViewState(() => this.#changed())
  #charts = new Charts()
  #culprits = new CulpritTable(this.#view)
  #drawVictims = victimTable()
  #drawThreads = threadTable()
  #drawPeers = peerTable()
  #timeline = new Timeline((span) => this.#view.set({ span }))
  #filters = new FilterBar(this.#view)
  #blocks
  #flame
  /** Incidents without a block, and worker threads. @type {{ slow: any[], threads: any[] }} */
  #now = { slow: [], threads: [] }
  #thresholdMs = 0
  #loops = 1
  #requests = true
  /** The agent's clock, which may differ from this machine's. */
  #clock = { agentMs: 0, ownMs: 0 }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  /** @type {string | null} block in the page's first address, to scroll to */
  #toReveal = null

  /** @param {(path: string) => Promise<Response>} get */
  constructor (get) {
    this.#blocks = new BlockList(get, this.#view)
    this.#flame = new FlameOfAll(get)
    byId('history-downloads').append(
      saveButton('timeline', get, () => 'timeline', 'loopwatch.trace.json'),
      saveButton('recording', get, () => 'recording', 'loopwatch.loopwatch'))
    this.#toReveal = this.#view.now.block
    document.addEventListener('keydown', (event) => this.#press(event))
  }

  /** @param {any} hello */
  begin (hello) {
    this.#thresholdMs = hello.thresholdMs
    this.#requests = hello.requests
    this.#records.begin(hello)
    this.#charts.begin(hello.seconds)
    this.#flame.refresh()
  }

  /** @param {any} now */
  state (now) {
    this.#clock = { agentMs: now.at, ownMs: performance.now() }
    this.#loops = (now.workers ?? 0) + 1
    this.#charts.show(now)
    // A recording of an earlier version has none.
    this.#now = { slow: now.slow ?? [], threads: now.threads ?? [] }
    this.#drawPeers([...now.peers ?? []].sort((a, b) => b.open - a.open || b.sumMs - a.sumMs))
    const note = this.#requests ? '' : 'Requests are not measured (option requests: off).'
    setNote(byId('history-note'),
      now.workers === null ? note : 'Primary only: each worker has its own series in /metrics.')
    this.#draw()
  }

  /** @param {any[]} rows */
  put (rows) {
    for (const row of rows) this.#records.put(row)
    if (rows.some(({ ongoing }) => !ongoing)) this.#flame.refresh()
    this.#later()
  }

  /** @param {string} id */
  remove (id) {
    this.#records.remove(id)
    this.#later()
  }

  /** @param {any[]} waits */
  wait (waits) {
    this.#records.wait(waits)
    for (const { id } of waits) this.#blocks.refresh(id)
    this.#later()
  }

  #changed () {
    if (this.#clock.agentMs !== 0) this.#draw()
  }

  #later () {
    this.#timer ??= setTimeout(() => this.#draw(), DRAW_MS)
  }

  #draw () {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const view = this.#view.now
    const nowMs = this.#clock.agentMs + performance.now() - this.#clock.ownMs
    const all = withSharedNames(this.#records.all)
    const window = windowOf(view, nowMs, this.#records.sinceMs)
    const range = view.span === null ? window : { fromMs: view.span[0], toMs: view.span[1] }
    const rows = inRange(all, range)
    const waitedFor = (/** @type {string} */ id) => this.#records.waitsFor(id)
    const matching = rows.filter((row) => isMatch(row, view))
    this.#showVerdict(all, matching, range)
    const candidates = rows.filter((row) => isShown(row, { ...view, culprit: null }))
    const culprits = culpritsOf(candidates, range, (id) => waitedFor(id).requests)
    this.#culprits.draw(culprits)
    const chosen = matching.filter((row) => isShown(row, view))
    const culprit = culprits.find(({ key }) => key === view.culprit) ?? null
    this.#filters.draw(range, culprit, all)
    this.#timeline.draw(inRange(all, window).filter((row) => isShown(row, view)), window, this.#charts.delay, view)
    this.#drawVictims(victimsOf(chosen, (id) => waitedFor(id).routes))
    this.#drawThreads(threadsOf(matching, this.#now.threads, range))
    this.#flame.choose(`${queryOf(view, range)}`)
    this.#drawBlocks(chosen, all)
  }

  /**
   * Shows what happened in the range, what is folded away, and the comparison with the baseline.
   * @param {any[]} all in memory
   * @param {any[]} matching in the range and the filters
   * @param {{ fromMs: number, toMs: number }} range
   */
  #showVerdict (all, matching, range) {
    const view = this.#view.now
    const loops = this.#loops
    const isLoop = (/** @type {any} */ row) => loops > 1 ? row.threadId === 0 : isMain(row)
    const more = { thresholdMs: this.#thresholdMs, loops, isFiltered: isFiltered(view) }
    const slow = inRange(this.#now.slow, range).map(({ startedAt, message }) => `${clock(startedAt)}: ${message}.`)
    const elsewhere = matching.length > 0 || byId('peers').hidden ? [] : ['See "Calls to other services" below.']
    setText(byId('verdict'), [verdictOf(matching.filter(isLoop), range, more), ...slow, ...elsewhere].join(' '))
    const compared = () => all.filter((row) => isLoop(row) && isMatch(row, view))
    setNote(byId('comparison'), view.base === null ? '' : comparison(compared(), range, view.base))
    const note = asideNote(matching, view.aside)
    byId('aside').hidden = note === ''
    setText(byId('aside-note'), note)
    const button = byId('aside-show')
    button.setAttribute('aria-pressed', `${view.aside}`)
    setText(button, view.aside ? 'Hide' : 'Show')
  }

  /** @param {any[]} chosen @param {any[]} all */
  #drawBlocks (chosen, all) {
    const { block } = this.#view.now
    const opened = all.find(({ id }) => id === block)
    this.#blocks.draw(chosen, all.length, opened)
    const none = all.length === 0 ? `No block of ${duration(this.#thresholdMs)} or longer so far.` : ''
    setNote(byId('blocks-empty'), block === null || opened ? none : `Block ${block} is no longer in memory.`)
    if (this.#toReveal !== null && opened !== undefined) this.#blocks.reveal(this.#toReveal)
    this.#toReveal = null
  }

  /** Acts on a key, unless the user types. With a modifier it belongs to the browser. @param {KeyboardEvent} event */
  #press (event) {
    // Escape within the flame graph shows all of it.
    if (event.defaultPrevented) return
    const target = /** @type {HTMLElement} */ (event.target)
    const isTyping = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
    if (event.key === 'Escape' && isTyping) target.blur()
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    /** @type {Map<string, () => void>} */
    const actions = new Map([
      ['/', () => byId('search').focus()],
      ['j', () => this.#blocks.step(1)],
      ['k', () => this.#blocks.step(-1)],
      ['c', () => { navigator.clipboard?.writeText(this.#blocks.open?.markdown() ?? '').catch(() => {}) }],
      ['?', () => this.#filters.toggleHelp()],
      ['Escape', () => { if (!this.#filters.closeHelp()) this.#view.set({ block: null }) }]
    ])
    const act = actions.get(event.key)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
}
