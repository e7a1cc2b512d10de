'use strict'

const { SingleBar } = require('cli-progress')

const NAME_WIDTH = 40
const DEFAULT_COLUMNS = 80

/** How far a run is: a bar on a terminal, a line for each repeat elsewhere. On stderr, as results go to stdout. */
class Progress {
  #stream
  /** @type {SingleBar | null} */
  #bar = null
  #done = 0
  #total = 0
  #repeat = 0
  #name = ''
  #room = 0

  /** @param {NodeJS.WriteStream} stream */
  constructor (stream) {
    this.#stream = stream
  }

  /** @param {import('../interface').Scenario} scenario @param {number} total runs */
  begin ({ name }, total) {
    this.#name = name
    this.#total = total
    this.#done = this.#repeat = 0
    if (!this.#stream.isTTY || total === 0) return
    // On 40 columns the name of the cell is what gives way.
    const columns = this.#stream.columns ?? DEFAULT_COLUMNS
    const room = Math.max(0, Math.min(NAME_WIDTH, columns - name.length - 35))
    this.#bar = new SingleBar({
      stream: this.#stream,
      format: `${name} {bar} {value}/{total} {eta_formatted} {cell}`,
      barsize: Math.max(5, Math.min(30, columns - name.length - room - 25)),
      barCompleteChar: '#',
      barIncompleteChar: '.',
      hideCursor: true,
      linewrap: false,
      clearOnComplete: true,
      stopOnComplete: false,
      gracefulExit: false,
      // There is no estimate before the end of the first run.
      formatTime: (seconds) => Number.isFinite(seconds) && seconds > 0 ? `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')} left` : ''
    })
    this.#bar.start(total, 0, { cell: '' })
    this.#room = room
  }

  /** One run begins. @param {string} variant @param {string} cell @param {number} repeat from 1 on */
  step (variant, cell, repeat) {
    if (this.#bar !== null) this.#bar.update(this.#done, { cell: `${variant} ${cell}`.slice(0, this.#room) })
    else if (repeat !== this.#repeat) this.#stream.write(`${this.#name}: repeat ${repeat}, ${this.#done} of ${this.#total} runs done\n`)
    this.#repeat = repeat
    this.#done++
  }

  /** A line that stays. @param {string} line */
  say (line) {
    const isDrawn = this.#bar !== null
    if (isDrawn) this.#stream.write('\r\u001b[K')
    this.#stream.write(`${line}\n`)
    if (isDrawn) this.#bar?.render()
  }

  end () {
    this.#bar?.stop()
    this.#bar = null
  }
}

exports.Progress = Progress
