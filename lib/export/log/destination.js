'use strict'

const fs = require('node:fs')
const { nowMs } = require('../../util/clock')
const { openFile } = require('../../util/files')
const { RotationCheck } = require('../../util/file-rotation')

/** Time until a line tries again to open a file that could not be opened. */
const REOPEN_MS = 5000
/** Most bytes that wait for a full pipe. Further lines are dropped and counted. */
const QUEUE_BYTES = 1024 * 1024

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = fs.constants

/**
 * Writes log lines from the watchdog's thread, never through the host's. If the reader of a pipe or terminal stops,
 * the watchdog must not. So the target is opened again in non-blocking mode, and lines wait in a bounded queue.
 *
 * sonic-boom, pino's own destination, does not fit. In asynchronous mode it uses fs.write(), which queues in libuv's
 * pool of four threads. The application uses that pool too: the line of a block would wait behind four pbkdf2. In
 * synchronous mode it sleeps while a pipe is full (EAGAIN), 100 ms at a time, without polling the loop.
 */
class LogDestination {
  /** @type {number | null} */
  #fd = null
  #target
  #creates
  #reopenAtMs = 0
  #rotation
  #owned = false
  /** @type {Buffer[]} */
  #queue = []
  #queuedBytes = 0
  /** The head of the queue is the rest of a line. */
  #isRest = false
  /** The file ends with the beginning of a line. Its rest was dropped. */
  #isTorn = false
  /** @type {NodeJS.Timeout | undefined} */
  #retry
  #closed = false
  #failing = false
  #onState
  #nowMs
  dropped = 0

  /**
   * @param {1 | 2 | string} target a file descriptor or a file
   * @param {(error: Error | null) => void} onState called when writing fails, and when it works again
   * @param {() => number} [now] monotonic ms
   * @param {boolean} [creates] the file; else somebody else does, before the first line
   */
  constructor (target, onState, now = nowMs, creates = true) {
    this.#onState = onState
    this.#nowMs = now
    this.#target = target
    this.#rotation = typeof target === 'string' ? new RotationCheck(target) : null
    this.#creates = creates ? O_CREAT : 0
    if (creates) this.#fd = this.#open()
  }

  /** @returns {number | null} */
  #open () {
    const target = this.#target
    try {
      if (typeof target === 'string') {
        this.#owned = true
        this.#rotation?.opened(this.#nowMs())
        // Non-blocking, since the path may be a pipe (/dev/stderr). For a file it makes no difference.
        return openFile(target, O_WRONLY | O_APPEND | this.#creates | O_NONBLOCK, 0o640)
      }
      const stat = fs.fstatSync(target)
      if (!stat.isFIFO() && !stat.isCharacterDevice()) return target
      const fd = openFile(`/proc/self/fd/${target}`, O_WRONLY | O_APPEND | O_NONBLOCK)
      this.#owned = true
      return fd
    } catch (error) {
      if (typeof target === 'number' && error.code !== 'EBADF') return target
      this.#reopenAtMs = this.#nowMs() + REOPEN_MS
      this.#setFailing(error)
      return null
    }
  }

  /** @param {string} line one, from pino */
  write (line) {
    this.#look()
    if (this.#fd === null && !this.#closed && this.#nowMs() >= this.#reopenAtMs) this.#fd = this.#open()
    if (this.#fd === null || this.#closed || this.#queuedBytes > QUEUE_BYTES) {
      this.dropped++
      return
    }
    const bytes = Buffer.from(line)
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
    if (this.#retry === undefined) this.flush()
  }

  /** Closes a file that log rotation has moved or deleted. */
  #look () {
    if (this.#fd === null || this.#rotation === null || this.#queue.length > 0) return
    try {
      const gone = this.#rotation.look(this.#fd, this.#nowMs())
      if (gone === null) return
      this.dropped += gone
    } catch {
      // The disk of the file is gone.
    }
    this.#letGo(0)
  }

  /** @param {number} waitMs until its path is opened again */
  #letGo (waitMs) {
    try {
      fs.closeSync(/** @type {number} */ (this.#fd))
    } catch {
      // The disk is gone, and the descriptor with it.
    }
    this.#fd = null
    this.#isTorn = false
    this.#reopenAtMs = this.#nowMs() + waitMs
  }

  /** Writes lines until the pipe is full. Never waits. */
  flush () {
    this.#retry = undefined
    while (this.#queue.length > 0) {
      const [bytes] = this.#queue
      try {
        this.#writeSome(/** @type {number} */ (this.#fd), bytes)
        this.#setFailing(null)
      } catch (error) {
        if (error.code === 'EAGAIN') {
          this.#retry = setTimeout(() => this.flush(), 50)
        } else {
          this.#fail(error)
        }
        return
      }
    }
  }

  /** @param {number} fd @param {Buffer} bytes the head of the queue */
  #writeSome (fd, bytes) {
    if (this.#isTorn) fs.writeSync(fd, '\n')
    this.#isTorn = false
    const written = fs.writeSync(fd, bytes)
    this.#queuedBytes -= written
    this.#isRest = written < bytes.length
    if (this.#isRest) {
      this.#queue[0] = bytes.subarray(written)
      return
    }
    this.#queue.shift()
    this.#rotation?.wrote()
  }

  /**
   * Drops the queue. If the reader of stdout or stderr goes away (EPIPE), it does not come back. The reader of a named
   * pipe may, and a full disk may get space. @param {Error & { code?: string }} error
   */
  #fail (error) {
    this.dropped += this.#queue.length
    this.#queue = []
    this.#queuedBytes = 0
    this.#isTorn ||= this.#isRest
    this.#isRest = false
    if (error.code === 'EPIPE') {
      if (typeof this.#target === 'string') this.#letGo(REOPEN_MS)
      else this.#closed = true
    }
    this.#setFailing(error)
  }

  /** @param {Error | null} error */
  #setFailing (error) {
    if (this.#failing === (error !== null)) return
    this.#failing = error !== null
    this.#onState(error)
  }

  takeLost () {
    const lost = this.dropped
    this.dropped = 0
    return lost
  }

  end () {
    this.flush()
    this.close()
  }

  close () {
    clearTimeout(this.#retry)
    const fd = this.#owned ? this.#fd : null
    this.#fd = null
    this.#closed = true
    try {
      if (fd !== null) fs.closeSync(fd)
    } catch {
      // A network disk reports failed writes here. The application's exit must not depend on it.
    }
  }
}

exports.LogDestination = LogDestination
