import { byId, fill, make, setNote, setText } from '../dom.mjs'
import { clock, counted, duration, percent } from '../format.mjs'
import { isMain, sentenceOf, titleOf, worstOf } from '../model/strip.mjs'

const TICK_MS = 100
/** The tab's title changes no more often than this. Ten times per second, it would only flicker. */
const TITLE_MS = 1000
/** Most blocked threads and workers that are shown: more than anybody reads. */
const LINES = 8

/** The tab's icon. @param {string} color */
function dot (color) {
  const circle = `<circle cx="8" cy="8" r="7" fill="${color}"/>`
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${circle}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(image)}`
}
const GREY = dot('#8c959f')
const ICONS = { running: dot('#1a7f37'), blocked: dot('#d1242f'), recorded: GREY, unknown: GREY }

/**
 * The state of every loop: always in sight, and in the tab's title and icon. It ticks only while a loop is blocked.
 * Screen readers announce it when its text changes. For a recording it shows the state then, in neutral colors.
 */
export class Strip {
  #box = byId('state-now')
  #announcer = byId('announcer')
  /** @type {any[]} */
  #ongoing = []
  #sinceMs = 0
  #titledMs = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #announced = ''
  /** @type {string | undefined} */
  #service
  /** @type {string | undefined} `Recorded 14:03:12` */
  #recorded

  /** @param {any} hello */
  begin ({ labels, recordedAt }) {
    this.#service = labels.service
    this.#recorded = recordedAt && `Recorded ${clock(recordedAt)}`
  }

  /** @param {any} state */
  show ({ ongoing, last, workers, degraded, inFlight }) {
    this.#ongoing = ongoing.slice(0, LINES)
    this.#sinceMs = performance.now()
    clearInterval(this.#timer)
    const recorded = this.#recorded
    if (ongoing.length && !recorded) this.#timer = setInterval(() => this.#tick(), TICK_MS)
    const state = recorded ? 'recorded' : ongoing.some(isMain) ? 'blocked' : 'running'
    this.#paint(state)
    const sentences = this.#ongoing.map((row) => sentenceOf(row, waitingFor(row, inFlight), recorded))
    const group = workers === null ? '' : `, ${counted(workers, 'worker')} joined`
    fill(this.#box,
      state !== 'blocked' && make('p', { class: `now ${state}` },
        make('strong', {}, recorded ?? 'Running'),
        `, utilization ${percent(last.utilization)}${group}`),
      ...sentences.map((parts, i) => {
        const kind = !recorded && isMain(this.#ongoing[i]) ? 'blocked' : 'busy'
        return make('p', { class: `now ${kind}` }, parts.map(elementOf))
      }))
    this.#titledMs = 0
    this.#tick()
    this.#announce(sentences)
    const reasons = degraded.join('; ')
    setNote(byId('degraded'), reasons && `Degraded: ${reasons}. The agent's log says why.`)
  }

  #tick () {
    const now = performance.now()
    const passedMs = this.#recorded ? 0 : now - this.#sinceMs
    for (const [i, element] of [...this.#box.querySelectorAll('.since')].entries()) {
      element.textContent = duration(this.#ongoing[i].durationMs + passedMs)
    }
    if (now - this.#titledMs < TITLE_MS) return
    this.#titledMs = now
    const worst = worstOf(this.#ongoing)
    const time = worst === null ? undefined : duration(worst.durationMs + passedMs)
    document.title = titleOf(this.#ongoing, this.#service, time, this.#recorded)
  }

  /**
   * Announces a block once, and again if its reason or place changes.
   * @param {import('../model/strip.mjs').Part[][]} sentences
   */
  #announce (sentences) {
    const textOf = (/** @type {typeof sentences[0]} */ parts) => parts.map(({ text }) => text).join('')
    const withoutDuration = sentences.flat().filter(({ kind }) => kind !== 'since')
    if (textOf(withoutDuration) === this.#announced) return
    this.#announced = textOf(withoutDuration)
    setText(this.#announcer, sentences.map(textOf).join(' ') || 'Running again')
  }

  /** @param {keyof typeof ICONS} state */
  #paint (state) {
    document.documentElement.dataset.state = state
    const icon = byId('icon')
    if (icon.getAttribute('href') !== ICONS[state]) icon.setAttribute('href', ICONS[state])
  }

  /** Shows that the page is not connected. */
  clear () {
    clearInterval(this.#timer)
    this.#ongoing = []
    // The next state is announced even if it is the same.
    this.#announced = ''
    setText(this.#announcer, '')
    this.#paint('unknown')
    document.title = `Not connected: ${titleOf([], this.#service)}`
    fill(this.#box, make('p', { class: 'now' }, make('strong', {}, 'Not connected')))
  }
}

/** Requests in flight other than the one that blocks. @param {any} row @param {number} inFlight */
const waitingFor = (row, inFlight) => isMain(row) ? Math.max(0, inFlight - (row.request === null ? 0 : 1)) : 0

/** @param {{ kind: string, text: string }} part */
function elementOf ({ kind, text }) {
  if (kind === 'code' || kind === 'strong') return make(kind, {}, text)
  return kind === 'since' ? make('span', { class: 'since' }, text) : text
}
