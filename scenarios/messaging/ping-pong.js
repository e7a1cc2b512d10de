'use strict'

// The cell: so many messages in flight, each sent back by the other side and sent on as the very object
// that came, so that a wrong byte anywhere is still there at the end.
const { makePayload } = require('./payloads')
const { transports } = require('./transports')

const MS_PER_S = 1000

class PingPong {
  #transport
  #context
  #sent = 0
  #received = 0
  #counted = 0
  /** Of the messages in flight one at a time is timed: with 256 of them, two clock readings for each would show. */
  #timed = -1
  #timedSinceMs = 0
  #isOver = false
  /** @type {any} */
  #last
  #onFirst = () => {}
  #onDrained = () => {}

  /** @param {import('../harness/context').Context} context @param {import('./transports').Transport} transport */
  constructor (context, transport) {
    this.#context = context
    this.#transport = transport
    transport.onMessage((message) => this.#onReply(message))
  }

  /** @param {any} message */
  #send (message) {
    if (this.#timed === -1) {
      this.#timed = this.#sent
      this.#timedSinceMs = performance.now()
    }
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
      this.#timed = -1
    }
    if (!this.#isOver) return this.#send(message)
    this.#last = message
    if (this.#received === this.#sent) this.#onDrained()
  }

  /**
   * @param {() => any} makeMessage
   * @param {number} depth messages in flight
   * @param {number} seconds counted from the first reply on
   */
  async run (makeMessage, depth, seconds) {
    this.#sent = this.#received = this.#counted = 0
    this.#timed = -1
    this.#isOver = false
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

/** @param {import('../harness/context').Context} context */
exports.run = async (context) => {
  const { params: { payload, depth }, seconds, warmUpSeconds } = context
  const makeMessage = () => makePayload(String(payload))
  const [transport] = await Promise.all([transports[context.variant](context), context.ready])
  const pingPong = new PingPong(context, transport)
  if (warmUpSeconds > 0) await pingPong.run(makeMessage, Number(depth), warmUpSeconds)
  const { perSecond, sent, received, last } = await context.measure(() => pingPong.run(makeMessage, Number(depth), seconds))
  await transport.close()
  context.check(sent === received, `${sent} messages were sent and ${received} came back`)
  context.checkEqual(last, makeMessage(), 'the message that went round')
  return { value: perSecond }
}
