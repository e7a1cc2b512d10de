'use strict'

// The cell: so many messages in flight, each sent back by the other side and sent on as the very object
// that came, so that a wrong byte anywhere is still there at the end.
const { makePayload } = require('./payloads')
const { transports } = require('./transports')

const MS_PER_S = 1000
/** This number of messages is timed in a row, then one in nine. */
const ALL_OF = 1000
const EVERY = 8

class PingPong {
  #transport
  #context
  #sent = 0
  #received = 0
  #counted = 0
  /**
   * The next message to be timed: one at a time of those in flight, and of many only some, as two clock readings for
   * each would show.
   */
  #timed = 0
  #timedSinceMs = 0
  #timings = 0
  #isOver = false
  /** Those that were in flight at the end. @type {any[]} */
  #last = []
  #onFirst = () => {}
  #onDrained = () => {}

  /** @param {import('../harness/run/context').Context} context @param {import('./transports').Transport} transport */
  constructor (context, transport) {
    this.#context = context
    this.#transport = transport
    transport.onMessage((message) => this.#onReply(message))
  }

  /** @param {any} message */
  #send (message) {
    if (this.#sent === this.#timed) this.#timedSinceMs = performance.now()
    this.#sent++
    this.#transport.send(message)
  }

  /** @param {any} message */
  #onReply (message) {
    const at = this.#received++
    if (at === 0) this.#onFirst()
    if (at === this.#timed) {
      this.#context.record(performance.now() - this.#timedSinceMs)
      this.#context.count(this.#received - this.#counted)
      this.#counted = this.#received
      this.#timed = this.#sent + (++this.#timings < ALL_OF ? 0 : EVERY)
    }
    if (!this.#isOver) return this.#send(message)
    this.#last.push(message)
    if (this.#received === this.#sent) this.#onDrained()
  }

  /**
   * @param {() => any} makeMessage
   * @param {number} depth messages in flight
   * @param {number} seconds counted from the first reply on
   */
  async run (makeMessage, depth, seconds) {
    this.#sent = this.#received = this.#counted = this.#timed = this.#timings = 0
    this.#isOver = false
    this.#last = []
    const drained = /** @type {Promise<void>} */ (new Promise((resolve) => { this.#onDrained = resolve }))
    const figures = new Promise((resolve) => {
      this.#onFirst = () => {
        const sinceMs = performance.now()
        setTimeout(() => {
          this.#isOver = true
          resolve({ perSecond: this.#received / (performance.now() - sinceMs) * MS_PER_S })
        }, seconds * MS_PER_S)
      }
    })
    for (let i = 0; i < depth; i++) this.#send(makeMessage())
    const { perSecond } = await figures
    await drained
    return { perSecond, sent: this.#sent, received: this.#received, last: this.#last }
  }
}

/** @param {import('../harness/run/context').Context} context */
exports.run = async (context) => {
  const { params: { payload, depth }, seconds, warmUpSeconds } = context
  const makeMessage = () => makePayload(String(payload))
  const [transport] = await Promise.all([transports[context.variant](context), context.ready])
  const pingPong = new PingPong(context, transport)
  if (warmUpSeconds > 0) await pingPong.run(makeMessage, Number(depth), warmUpSeconds)
  const { perSecond, sent, received, last } = await context.measure(() =>
    pingPong.run(makeMessage, Number(depth), seconds)
  )
  await transport.close()
  context.check(sent === received, `${sent} messages were sent and ${received} came back`)
  const expected = makeMessage()
  for (const message of last) context.checkEqual(message, expected, 'a message that went round')
  return { value: perSecond }
}
