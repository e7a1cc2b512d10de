'use strict'

const fs = require('node:fs')
const { nowMs } = require('../clock')
const { openBridge } = require('../bridge/bridge')
const { GC_KINDS } = require('../bridge/gc-kinds')
const { LISTENING, BLOCK } = require('../bridge/messages')
const { FrameTable } = require('../explain/frame-table')
const { SourceMaps } = require('../explain/source-map')
const { BlockMemory } = require('../store/memory')
const { summaryOf } = require('../store/record')
const { BlockFile } = require('../store/block-file')
const { BlockLog } = require('../export/log')
const { Metrics } = require('../export/metrics')
const { HttpServer } = require('../export/http-server')
const { makeRoutes } = require('../export/routes')
const { Degradations } = require('./degradations')
const { Detector } = require('./detector')
const { GcPauses } = require('./gc-pauses')
const { Incident } = require('./incident')
const { askHost } = require('./inspector')
const { Kernel } = require('./kernel')
const { Lateness } = require('./lateness')
const { Sampler } = require('./sampler')
const { version } = require('../../package.json')

/** A verdict waits for this many beats after the block, since GC entries come up to two turns late, */
const HOLD_BEATS = 2
/** but not longer than this, where the next block follows at once. */
const HOLD_MS = 500
/** So long a first report waits for a place in the code, and a fresh question is looked after every millisecond. */
const EAGER_MS = 10
const QUIET_MS = 5000
const COUNT_MS = 1000
/** A block in progress is reported again in this time. */
const PROGRESS_MS = 1000
const SOURCE_BYTES = 16 * 1024 * 1024

/**
 * The watchdog: looks at the host's heartbeat whenever a block could be due, asks the host where it
 * is while it is silent, and hands what it learns to store and export. Composes; decides nothing.
 */
class Watchdog {
  #options
  #bridge
  #post
  #startedAtMs = nowMs()
  #starts
  #blocks = 0
  #lateness = new Lateness()
  #gcPauses = new GcPauses()
  #kernel = new Kernel()
  #frames
  #degradations
  #detector
  #sampler
  #memory
  #file
  #log
  #metrics
  #server
  #calm
  /** @type {Incident | null} the present silence */
  #incident = null
  /** @type {{ incident: Incident, end: import('./detector').Closed, after: import('./kernel').Reading, beats: number }[]} */
  #held = []
  #isStuckDone = false
  #isDebugged = false
  #isAnnounced = true
  #progressAtMs = Infinity
  #quietAtMs = Infinity
  #countAtMs = 0
  /** @type {NodeJS.Timeout | undefined} */
  #timer

  /**
   * @param {{ memory: SharedArrayBuffer, options: import('../options').ResolvedOptions, histogram: import('node:perf_hooks').IntervalHistogram, mayInspect: boolean, namesRequests: boolean, starts: number }} data
   * @param {(message: object) => void} post to the host
   */
  constructor ({ memory, options, histogram, mayInspect, namesRequests, starts }, post) {
    this.#options = options
    this.#bridge = openBridge(memory)
    this.#post = post
    this.#starts = starts
    this.#calm = this.#kernel.read(nowMs())
    const sourceMaps = new SourceMaps(readSource)
    this.#frames = new FrameTable((frame) => sourceMaps.original(frame))
    this.#detector = new Detector({ thresholdMs: options.threshold, resolutionMs: options.resolution })
    this.#degradations = new Degradations((level, fields, message) => this.#log?.say(level, fields, message))
    this.#log = options.log === false
      ? null
      : new BlockLog({ log: options.log, nowMs, onState: (error) => this.#degradations.set('log', error) })
    this.#sampler = new Sampler({ mailbox: this.#bridge.answer, ask: () => this.#ask(mayInspect), sampleMs: options.sample })
    this.#memory = new BlockMemory(options.keep)
    this.#file = options.dir === undefined
      ? null
      : new BlockFile({ dir: options.dir, name: `blocks-${process.pid}-${Date.now()}`, nowMs, onState: (error) => this.#degradations.set('dir', error) })
    this.#metrics = new Metrics({
      loop: () => this.#loop(),
      cpuSeconds: () => this.#kernel.cpuSeconds(),
      degraded: () => this.#degradations.entries(),
      histogram,
      periodMs: options.calmPeriod,
      thresholdMs: options.threshold,
      routes: options.routes,
      labels: options.labels,
      version
    })
    if (!namesRequests) this.#degradations.set('requests', { message: `Node.js ${process.versions.node} has CVE-2025-59466; update it, or set requests: 'on'` })
    // The first question warms the way to the host up, and tells whether there is one.
    this.#sampler.askIfDue(nowMs(), 0)
    this.#look()
    this.#server = this.#listen()
  }

  #listen () {
    const { port, host, token, allowHosts } = this.#options
    if (port === false) {
      this.#post({ code: LISTENING, url: null })
      return null
    }
    return new HttpServer({
      options: { host, port, token, allowHosts },
      routes: makeRoutes({
        metrics: this.#metrics,
        blockedMs: () => this.#blockedMs(),
        blocks: () => this.#list(),
        block: (id) => this.#find(id)
      }),
      onState: (url, error) => {
        this.#degradations.set('endpoint', error)
        if (url !== null) this.#log?.say('info', { event: 'listening', url }, `watching, endpoint at ${url}`)
        this.#post({ code: LISTENING, url })
      }
    })
  }

  #look () {
    const now = nowMs()
    const selfLate = this.#lateness.arrive(now, this.#kernel.ownCpuMs())
    for (const [startMs, durationMs, kind] of this.#bridge.gcPauses.drain()) {
      this.#gcPauses.add(startMs, durationMs)
      this.#metrics.observeGc(GC_KINDS[kind] ?? 'other', durationMs)
    }
    const sample = this.#sampler.take()
    if (sample !== null) this.#isDebugged = sample.debugged
    // In this order: a beat after its gap was pushed, so a gap that is missing now comes next time.
    const beat = this.#bridge.beat.read()
    const gaps = this.#bridge.lateBeats.drain().map(([startMs, endMs, idleMs, periodMs, beats]) => ({ startMs, endMs, idleMs, periodMs, beats }))
    const reading = this.#kernel.read(now)
    const present = sample !== null && sample.beats === this.#incident?.beats ? sample : null
    if (present !== null) this.#addSample(present, now)

    const idleMs = this.#incident?.beats === beat.beats ? this.#incident.idleMs : null
    const { events, suspicious, wakeAtMs } = this.#detector.look({ nowMs: now, beat, gaps, idleMs, selfLate })
    for (const event of events) {
      if (event.type === 'close') this.#close(event, reading, beat.beats)
    }
    this.#watchSilence(suspicious, beat, reading)
    for (const event of events) {
      if (event.type === 'open') this.#open(event.block, now)
    }
    if (suspicious || events.length > 0 || this.#held.length > 0 || now >= this.#countAtMs) {
      this.#lasting(now)
      this.#release(now, beat.beats)
      this.#count(now)
    }
    this.#schedule(now, wakeAtMs)
  }

  /** @param {import('./sampler').Sample} sample @param {number} now */
  #addSample (sample, now) {
    const incident = /** @type {Incident} */ (this.#incident)
    incident.add({ ...sample, frames: sample.frames.map((frame) => this.#frames.get(frame)) })
    // Caught between two callbacks: asked again at once.
    if (this.#awaitsPlace(incident, now)) this.#sampler.hurry()
  }

  /** Whether a silence is so young that its first report is better late than without a place. @param {Incident} incident @param {number} now */
  #awaitsPlace (incident, now) {
    return !incident.isPlaced && now < incident.suspectedAtMs + EAGER_MS
  }

  /** @param {boolean} suspicious @param {import('../bridge/beat-slots').Beat} beat @param {import('./kernel').Reading} reading */
  #watchSilence (suspicious, beat, reading) {
    if (this.#incident !== null && this.#incident.beats !== beat.beats) {
      this.#incident = null
      this.#sampler.forget()
    }
    if (!suspicious) {
      this.#calm = reading
      return
    }
    if (this.#incident === null) {
      this.#incident = this.#makeIncident(beat.beats)
      this.#sampler.hurry()
    }
    this.#incident.addReading(reading)
    this.#sampler.askIfDue(reading.atMs, reading.atMs - beat.atMs)
  }

  /** @param {number} beats the beat its silence began with */
  #makeIncident (beats) {
    return new Incident(beats, this.#calm, this.#isDebugged, {
      gcWithin: (startMs, endMs) => this.#gcPauses.within(startMs, endMs),
      watchdogGapWithin: (startMs, endMs) => this.#lateness.within(startMs, endMs),
      thresholdMs: this.#options.threshold
    })
  }

  /** @param {boolean} mayInspect */
  #ask (mayInspect) {
    const failure = mayInspect ? askHost() : 'the permission model forbids it (--allow-inspector)'
    this.#degradations.set('inspector', failure === null ? null : { message: failure })
    return failure === null
  }

  /** @param {import('./detector').Block} block @param {number} now */
  #open (block, now) {
    const incident = /** @type {Incident} */ (this.#incident)
    incident.begin(this.#nextId(), block, now)
    this.#isStuckDone = false
    this.#isAnnounced = false
  }

  /** The first report of a block. @param {number} now */
  #announce (now) {
    if (this.#awaitsPlace(/** @type {Incident} */ (this.#incident), now)) return
    this.#isAnnounced = true
    this.#progressAtMs = now + PROGRESS_MS
    const record = this.#keepOngoing(now)
    this.#file?.append(record)
    this.#log?.opened(record)
  }

  /** @param {number} now */
  #lasting (now) {
    const block = this.#detector.open
    if (block === null) return
    if (!this.#isAnnounced) this.#announce(now)
    if (now >= this.#progressAtMs) {
      this.#progressAtMs = now + PROGRESS_MS
      const record = this.#keepOngoing(now)
      this.#file?.append(record)
      this.#log?.lasting(record)
    }
    const { stuck, onStuck } = this.#options
    // A process that was stopped as a whole was not stuck while it was.
    if (stuck === 0 || this.#isStuckDone || now - block.startMs - this.#lateness.within(block.startMs, now) < stuck) return
    const record = this.#keepOngoing(now)
    if (record.evidence.debugger) return
    this.#isStuckDone = true
    this.#file?.append(record)
    this.#log?.stuck(record)
    if (onStuck === 'abort') this.#abort()
  }

  /** process.abort() is not for worker threads; the signal's default action is the same. */
  #abort () {
    process.kill(process.pid, 'SIGABRT')
    // An application that handles SIGABRT would do so on the loop that is stuck.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000)
  }

  /** @param {import('./detector').Closed} end @param {import('./kernel').Reading} after @param {number} beats */
  #close (end, after, beats) {
    const known = this.#incident?.beats === end.block.beats ? this.#incident : null
    const incident = known ?? this.#makeIncident(end.block.beats)
    if (incident.block === null) incident.begin(this.#nextId(), end.block, after.atMs)
    this.#isAnnounced = true
    if (end.endMs < this.#startedAtMs) this.#metrics.drop('missed_block')
    this.#memory.put(incident.closed(end, after))
    this.#held.push({ incident, end, after, beats })
  }

  /** Settles the ended blocks whose evidence is complete. @param {number} now @param {number} beats */
  #release (now, beats) {
    while (this.#held.length > 0) {
      const [held] = this.#held
      if (beats - held.beats < HOLD_BEATS && now - held.end.endMs < HOLD_MS) return
      this.#held.shift()
      const record = held.incident.closed(held.end, held.after)
      this.#memory.put(record)
      this.#metrics.observeBlock(record)
      this.#file?.append(record)
      this.#log?.closed(record)
      this.#quietAtMs = now + QUIET_MS
      this.#post({ code: BLOCK, record: summaryOf(record) })
    }
  }

  /** @param {number} now */
  #count (now) {
    this.#countAtMs = now + COUNT_MS
    if (now >= this.#quietAtMs) {
      this.#log?.flushSuppressed()
      this.#quietAtMs = Infinity
    }
    const drops = {
      ...this.#log?.takeLosses(),
      late_beat: this.#bridge.lateBeats.takeDropped(),
      gc_pause: this.#bridge.gcPauses.takeDropped(),
      record: this.#file?.takeLost() ?? 0
    }
    for (const [reason, count] of Object.entries(drops)) {
      if (count > 0) this.#metrics.drop(reason, count)
    }
  }

  /** @param {number} now @param {number} wakeAtMs */
  #schedule (now, wakeAtMs) {
    const { askedAtMs } = this.#sampler
    const eager = askedAtMs !== null && now - askedAtMs < EAGER_MS ? now + 1 : Infinity
    const releaseAtMs = this.#held.length > 0 ? now + this.#options.resolution : Infinity
    // This look may have taken a while itself, which is no lateness.
    const fromMs = nowMs()
    const waitMs = Math.max(1, Math.ceil(Math.min(wakeAtMs, eager, releaseAtMs) - fromMs))
    this.#lateness.leave(fromMs, this.#kernel.ownCpuMs(), fromMs + waitMs)
    this.#timer = setTimeout(() => this.#look(), waitMs)
  }

  #nextId () {
    const life = this.#starts === 0 ? '' : `${this.#starts}.`
    return `${process.pid}-${life}${++this.#blocks}`
  }

  /** @param {number} now */
  #keepOngoing (now) {
    const record = /** @type {Incident} */ (this.#incident).ongoing(now, this.#sampler.askedAtMs)
    this.#memory.put(record)
    return record
  }

  #blockedMs () {
    const block = this.#detector.open
    return block === null ? 0 : nowMs() - block.startMs
  }

  /** @param {string} id */
  #find (id) {
    if (this.#detector.open !== null) this.#keepOngoing(nowMs())
    return this.#memory.get(id)
  }

  #list () {
    if (this.#detector.open !== null) this.#keepOngoing(nowMs())
    return this.#memory.list().map(summaryOf)
  }

  #loop () {
    const { atMs, activeMs, idleMs } = this.#bridge.beat.read()
    const inProgressMs = this.#blockedMs()
    return { activeMs: activeMs + inProgressMs, idleMs, heartbeatAgeMs: nowMs() - atMs, inProgressMs }
  }

  /** What the host asks for. @param {string} method @returns {Promise<unknown>} */
  async answer (method) {
    return method === 'blocks' ? this.#list() : this.#metrics.render()
  }

  /** Ends watching; a block in progress is recorded as far as it came. */
  stop () {
    clearTimeout(this.#timer)
    const now = nowMs()
    const block = this.#detector.open
    if (block !== null) {
      const durationMs = now - block.startMs
      this.#close({ type: 'close', block, endMs: now, durationMs, uncertaintyMs: block.uncertaintyMs, busyMs: durationMs, seen: true }, this.#kernel.read(now), 0)
    }
    this.#release(Infinity, 0)
    this.#server?.close()
    this.#log?.flushSuppressed()
    this.#log?.close()
    this.#file?.close()
    this.#kernel.close()
  }
}

/** @param {string} file a source or its map */
function readSource (file) {
  try {
    // Reading a pipe or a device could wait for ever.
    const stat = fs.statSync(file)
    return stat.isFile() && stat.size <= SOURCE_BYTES ? fs.readFileSync(file, 'utf8') : null
  } catch {
    return null
  }
}

exports.Watchdog = Watchdog
