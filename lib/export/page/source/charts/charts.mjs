import { Chart } from './chart.mjs'
import { byId } from '../dom.mjs'
import { duration, percent, rate } from '../format.mjs'
import { MS_PER_S } from '../../../../util/units.js'

const SECONDS = 600
/** The charts show the shortest span that fits, s: a young agent's history would only fill a corner of ten minutes. */
const SPANS = [60, 120, 300, SECONDS]

/** The history of the loop and of requests. The agent sends ten minutes when a page connects, then every second. */
export class Charts {
  /** @type {any[]} null: not measured */
  #seconds = []
  #last = 0
  /** The largest delay of each second, for the timeline. @type {{ times: number[], delays: (number | null)[] }} */
  delay = { times: [], delays: [] }
  #delay = new Chart({
    title: 'Loop delay',
    least: 10,
    format: duration,
    lines: [
      { label: 'max', color: '--c3', key: 'delayMax' },
      { label: 'p99', color: '--c2', key: 'delayP99' },
      { label: 'p50', color: '--c1', key: 'delayP50' }
    ]
  })

  #utilization = new Chart({
    title: 'Loop utilization',
    least: 1,
    format: percent,
    lines: [{ label: 'now', color: '--c1', key: 'utilization' }]
  })

  #requests = new Chart({
    title: 'Requests per second',
    least: 5,
    format: rate,
    lines: [{ label: 'now', color: '--c1', key: 'requests' }]
  })

  #latency = new Chart({
    title: 'Request latency',
    least: 10,
    format: duration,
    lines: [
      { label: 'p99', color: '--c2', key: 'latencyP99' },
      { label: 'p50', color: '--c1', key: 'latencyP50' }
    ]
  })

  #all = [this.#delay, this.#utilization, this.#requests, this.#latency]

  constructor () {
    byId('charts').append(...this.#all.map(({ element }) => element))
  }

  /** @param {any[]} seconds */
  begin (seconds) {
    this.#seconds = seconds.slice(-SECONDS)
    this.#last = 0
  }

  /** @param {any} state */
  show ({ at, second, last, whole, inFlight }) {
    // The seconds that begin() got include that of the first state.
    const missing = this.#last === 0 ? 0 : Math.min(second - this.#last, SECONDS)
    for (let i = 1; i <= missing; i++) this.#seconds.push(i === missing ? last : null)
    this.#seconds = this.#seconds.slice(-SECONDS)
    this.#last = second
    const endS = Math.floor(at / MS_PER_S)
    const shown = SPANS.find((length) => length >= this.#seconds.length) ?? SECONDS
    const seconds = [...new Array(shown - this.#seconds.length).fill(null), ...this.#seconds]
    const times = seconds.map((_, i) => endS - shown + i + 1)
    this.delay = { times, delays: seconds.map((each) => each?.delayMax ?? null) }
    for (const chart of this.#all) chart.draw(times, seconds)
    this.#describe(whole, inFlight)
  }

  /** @param {any} whole @param {number} inFlight */
  #describe ({ delayP50, delayP99, delayMax, utilization, requests, latencyP50, latencyP99 }, inFlight) {
    const length = this.#seconds.length
    const span = length >= SECONDS - 1 ? 'in 10 minutes' : `in ${duration(length * MS_PER_S)}`
    this.#delay.describe(`p50 ${duration(delayP50)}, p99 ${duration(delayP99)}, max ${duration(delayMax)} ${span}`)
    this.#utilization.describe(`${percent(utilization)} ${span}`)
    const none = (requests ?? 0) === 0 ? `no request ended ${span}` : null
    const ended = none ?? `${rate(requests / Math.max(1, length))} on average ${span}`
    this.#requests.describe(`${ended}, ${inFlight} in flight`)
    this.#latency.describe(none ?? `p50 ${duration(latencyP50)}, p99 ${duration(latencyP99)} ${span}`)
  }
}
