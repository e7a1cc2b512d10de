import { causes } from '../../../../tables/causes.js'
import { byId, make, setText } from '../dom.mjs'
import { counted, duration, fileOf, functionOf, percent } from '../format.mjs'

const TICK_MS = 100
/** More blocked threads and workers than anybody reads. */
const LINES = 8

/** What every loop is doing now. Ticks only while one is blocked, and is said aloud only when that changes. */
export class StateLine {
  #box = byId('state-now')
  #announcer = byId('announcer')
  /** @type {any[]} */
  #ongoing = []
  /** @type {number} */
  #sinceMs = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #said = ''

  /** @param {any} state */
  show ({ ongoing, last, workers, degraded }) {
    this.#ongoing = ongoing.slice(0, LINES)
    this.#sinceMs = performance.now()
    clearInterval(this.#timer)
    if (ongoing.length > 0) this.#timer = setInterval(() => this.#tick(), TICK_MS)
    const mainIsBlocked = ongoing.some(isMain)
    document.documentElement.dataset.state = mainIsBlocked ? 'blocked' : 'running'
    const lines = this.#ongoing.map((record) =>
      make('p', { class: isMain(record) ? 'now blocked' : 'now busy' }, ...sentence(record)))
    if (!mainIsBlocked) {
      const group = workers === null ? '' : `, ${counted(workers, 'worker')} joined`
      const load = `, utilization ${percent(last.utilization)}${group}`
      lines.unshift(make('p', { class: 'now running' }, make('strong', {}, 'Running'), load))
    }
    this.#box.replaceChildren(...lines)
    this.#tick()
    this.#say(ongoing)
    const note = byId('degraded')
    note.hidden = degraded.length === 0
    setText(note, `A part of the agent cannot do its work: ${degraded.join(', ')}. Its log says why.`)
  }

  #tick () {
    const passedMs = performance.now() - this.#sinceMs
    for (const [i, element] of [...this.#box.querySelectorAll('.since')].entries()) {
      element.textContent = duration(this.#ongoing[i].durationMs + passedMs)
    }
  }

  /** @param {any[]} ongoing */
  #say (ongoing) {
    const key = ongoing.map(({ id }) => id).join()
    if (key === this.#said) return
    this.#said = key
    const sentences = ongoing.slice(0, LINES).map((record) => textOf(sentence(record)))
    setText(this.#announcer, ongoing.length === 0 ? 'Running again' : sentences.join('. '))
  }

  /** Nothing is known any more. */
  clear () {
    clearInterval(this.#timer)
    document.documentElement.dataset.state = 'unknown'
    this.#box.replaceChildren(make('p', { class: 'now' }, make('strong', {}, 'Not connected')))
  }
}

/** @param {any} record */
function isMain ({ threadId, worker }) {
  return threadId === 0 && worker === null
}

/** @param {(HTMLElement | string)[]} parts */
function textOf (parts) {
  return parts.map((part) => typeof part === 'string' ? part : part.textContent).join('')
}

/**
 * `Blocked since 3.2 s in report at report.js:41 by GET /report/:id`
 * @param {any} record
 * @returns {(HTMLElement | string)[]}
 */
function sentence (record) {
  const { worker, thread, threadId, cause, frame, who: work, durationMs } = record
  const names = [worker === null ? '' : `worker ${worker}`, threadId === 0 ? '' : `thread ${thread}`]
  const who = names.filter((name) => name !== '').join(', ')
  const { excuse } = causes[/** @type {import('../../../../tables/causes.js').Cause} */ (cause)] ?? {}
  /** @type {(HTMLElement | string)[]} */
  const parts = [
    make('strong', {}, who === '' ? 'Blocked' : `${who[0].toUpperCase()}${who.slice(1)} blocked`),
    ' since ',
    make('span', { class: 'since' }, duration(durationMs))
  ]
  if (excuse !== undefined) return [...parts, `: ${excuse}`]
  if (frame !== null) parts.push(' in ', make('code', {}, functionOf(frame)), ' at ', make('code', {}, fileOf(frame)))
  if (work !== null) parts.push(' by ', make('code', {}, work))
  return parts
}
