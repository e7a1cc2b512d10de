'use strict'

// Types that several rooms share, and nothing else: a room that may not import another one finds its types here.

/**
 * @typedef {object} Frame one line of a stack; stacks have the innermost frame first
 * @property {string | null} function
 * @property {string | null} file path, `node:` name, or null for a built-in of V8
 * @property {number | null} line from 1
 * @property {number | null} column from 1
 * @property {boolean} [compiled] line and column are of code that was compiled in memory, not of the file
 *
 * @typedef {object} RequestContext the request that was running when a stack was taken
 * @property {number} id of the request within the process
 * @property {string} method
 * @property {string} route template
 * @property {number} startedAtMs monotonic
 * @property {string | null} traceId
 * @property {boolean} ended the request had been answered before
 * @property {boolean} [exact] false where it is in doubt that this one ran
 * @property {number} [among] where in doubt: so many requests and jobs were in flight, and this is the oldest
 *
 * @typedef {'request' | 'job' | 'message' | 'task' | 'span' | 'operation'} WorkKind of an HTTP request, a queue's job,
 * a broker's or socket's message, what the application names itself or a schedule starts, an OpenTelemetry span that
 * nobody has named otherwise, a GraphQL operation
 *
 * @typedef {{ kind: WorkKind, name: string, id: string }} WorkParent
 *
 * @typedef {object} WorkContext the innermost named work that was running when a stack was taken
 * @property {WorkKind} kind
 * @property {string} name
 * @property {string} id within the process; of a span its span id
 * @property {string} rootId of the outermost work that it is part of, itself perhaps
 * @property {WorkParent | null} parent
 * @property {number | null} startedAtMs monotonic; null of a span
 * @property {Record<string, string | number>} attributes
 * @property {string | null} traceId
 * @property {string | null} spanId of the active OpenTelemetry span
 * @property {boolean | null} sampled whether that span is; null without one
 * @property {boolean} ended it was over before: what it left behind
 * @property {boolean} [exact] false where it is in doubt that this one ran
 * @property {number} [among] where in doubt: so many requests and jobs were in flight, and this is the oldest
 */

/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
 *
 * @typedef {object} BlockRecord
 * @property {string} id pid and a running number; unique within a process
 * @property {number} pid
 * @property {string} thread `main`, or the name of a worker thread of the application, else its script's
 * @property {number} threadId as in node:worker_threads; 0 = main
 * @property {number | null} worker slot of the cluster worker it comes from, in what a primary lists; null in a
 * process's own records
 * @property {string} startedAt wall time; where ongoing, up to uncertaintyMs late
 * @property {number} durationMs so far, where ongoing
 * @property {number} uncertaintyMs the true duration is at most this far from durationMs
 * @property {boolean} ongoing
 * @property {boolean} startup code at the top level, modules being loaded: the block began before the loop's first
 * turn, or before the loop had waited for 20 ms in all, and no request was seen in it; logged at info
 * @property {import('./tables/causes').Cause} cause provisional where ongoing
 * @property {EvidenceRecord} evidence
 * @property {FrameRecord | null} frame the innermost function of the application that blocked longest, or of a
 * package where the application's had less than a fifth of the time
 * @property {Frame | null} leaf the innermost function of all
 * @property {PackageRecord | null} [package] the package in `node_modules` whose code was innermost, but for Node's
 * and V8's own, in at least half of the samples' time; null where there is none, or no code is to blame
 * @property {number} samples stacks taken
 * @property {StackRecord[]} stacks equal stacks folded, the ten heaviest
 * @property {WorkRecord | null} [work] the named work that was running longest: a request, a job, a message…
 * @property {RequestRecord | null} request the same as an HTTP request, or the one that the work is part of
 * @property {OriginRecord | null} origin where the operation was created whose callback made most of the block; null
 * where that was not tracked (option `origin`), or the operation is Node's own
 * @property {ProfileRecord | null} [profile] what a CPU profile says of the block; null where none was taken
 * (option `profile`)
 * @property {Frame | null} [generated] code made while the application ran (`new Function`, `vm`, a template) in
 * which `frame` spent most of the block
 * @property {CallbackRecord[]} [callbacks] heaviest first, where several ran in the turn; at most five
 * @property {string | null} [allowed] why the application lets it block: the reason that agent.allow() was given, where
 * at least half of the block was in such calls
 * @property {{ call: string, line: number } | null} [probable] where `frame` is not exact: the one built-in that can
 * take long and stands just before it in the same function
 *
 * @typedef {Frame & { exact: boolean }} FrameRecord `exact` is false where the stack could only be taken when a native
 * call had returned: the frame may then name the next line, or the caller, unless a CPU profile has told; and where
 * `compiled` is true
 *
 * @typedef {{ count: number, weightMs: number, frames: Frame[] }} StackRecord
 *
 * @typedef {object} CallbackRecord one of several callbacks of a block
 * @property {string} kind what ran it: `timer`, `immediate`, `request`, `continuation` (of a promise, or nextTick),
 * `event`
 * @property {Frame} frame the outermost function of the application or a package
 * @property {string | null} work as in WorkRecord, its name
 * @property {number} weightMs
 *
 * @typedef {object} PackageRecord what the package's package.json says
 * @property {string} name
 * @property {string | null} version
 * @property {string | null} bugs where bugs are reported: mostly a URL, or a mail address
 *
 * @typedef {object} OriginRecord
 * @property {string} type of the asynchronous resource: Timeout, PROMISE, TCPCONNECTWRAP…
 * @property {number} durationMs of its callback
 * @property {Frame} frame the innermost function of the application that created it
 * @property {Frame[]} frames the stack that created it from Node's edge on, at most 20
 *
 * @typedef {object} ProfileRecord of samples that V8 takes by a signal, within native calls as well
 * @property {number} samples
 * @property {string | null} call what `frame` was in: `JSON.parse`, `sort`, `pbkdf2Sync`, `(regular expression)`;
 * null where it was in its own code, or nothing tells
 * @property {StackRecord[]} stacks the ten heaviest; the line of a function is where it begins, of the innermost
 * mostly where it was
 *
 * @typedef {object} WorkRecord
 * @property {WorkKind} kind
 * @property {string} name of a request its method and route
 * @property {string} id within the process; of a span its span id
 * @property {WorkParent | null} parent the work within which it was begun
 * @property {string | null} startedAt wall time; null of a span
 * @property {Record<string, string | number>} attributes the application's own words: at most 8
 * @property {string | null} traceId of the active OpenTelemetry span, else of a request's traceparent header
 * @property {string | null} spanId of the active OpenTelemetry span
 * @property {boolean | null} sampled whether that span is; null without one
 * @property {boolean} ended it was over before: work it left behind, or a resource it opened for others
 * @property {boolean} [exact] false where it is in doubt that this one ran: messages write its name after ≈
 * @property {number} [among] where in doubt: so many requests and jobs were in flight, and this is the oldest
 *
 * @typedef {object} RequestRecord
 * @property {string} method
 * @property {string} route template, never the URL
 * @property {string} startedAt wall time
 * @property {boolean} ended it had been answered before: work it left behind, or a resource it opened for others
 * @property {string | null} traceId of the active OpenTelemetry span, else of its traceparent header
 * @property {boolean} [exact] false where it is in doubt that this one ran
 * @property {number} [among] where in doubt: so many requests and jobs were in flight, and this is the oldest
 *
 * @typedef {object} EvidenceRecord nulls where this machine does not tell
 * @property {number | null} cpuMs on a CPU
 * @property {number} gcMs in pauses of the garbage collector, 0 where they are not observed (worker threads, gc: 'off')
 * @property {number | null} runQueueMs runnable, waiting for a CPU
 * @property {number | null} throttledMs out of CPU quota
 * @property {number | null} stolenMs a hypervisor ran others on its CPU, as far as nothing else explains the time;
 * null where it was too short to be read twice
 * @property {number | null} answerMs median time the host took to answer an interrupt
 * @property {number} nativeMs inside native calls, as far as samples tell
 * @property {number} [ownMs] in code of loopwatch itself, as far as samples tell
 * @property {number} watchdogGapMs the watchdog did not run either
 * @property {number} requests distinct ones seen in samples
 * @property {boolean} debugger an inspector was open, so nothing was sampled
 */

/**
 * A block as a span of a trace. Wall times, milliseconds since 1970.
 *
 * @typedef {object} BlockSpan
 * @property {string} traceId
 * @property {string} spanId its own
 * @property {string} parentSpanId the innermost span that was delayed
 * @property {string} name
 * @property {number} startMs
 * @property {number} endMs
 * @property {Record<string, string | number | boolean | null | undefined>} attributes
 * @property {{ traceId: string, spanId: string }[]} links to the callers' spans of the requests that waited
 */

/**
 * Metrics as plain JSON: what prom-client gives of a registry.
 *
 * @typedef {{ labelSet: Record<string, string>, value: number, timestamp: number }} Exemplar
 * @typedef {object} Value
 * @property {Record<string, string | number>} labels
 * @property {number} value
 * @property {string} [metricName] where it is not the metric's own: name_bucket, name_sum, name_count
 * @property {Exemplar | null} [exemplar]
 * @typedef {{ name: string, help: string, type: string, values: Value[] }} Metric
 * @typedef {{ name: string, help: string, type: string, groups: { worker: string | null, values: Value[] }[] }} Family
 * a metric of a whole cluster, by worker
 */

/**
 * What a process is in a cluster of node:cluster, as its host knows it.
 * @typedef {{ kind: 'single' | 'primary' | 'worker', primaryPid: number, tmpdir: string }} Role
 */

/**
 * A request of an HTTP/2 server that listens to `stream` alone (gRPC does): what such a stream has of a request.
 *
 * @typedef {object} StreamRequest
 * @property {number} httpVersionMajor 2
 * @property {string | undefined} method
 * @property {string | undefined} url
 * @property {import('node:http2').IncomingHttpHeaders} headers
 * @property {string[]} rawHeaders
 * @property {import('node:http2').ServerHttp2Stream} stream
 *
 * @typedef {import('node:http').IncomingMessage | import('node:http2').Http2ServerRequest | StreamRequest} HttpRequest
 *
 * @typedef {object} DelayQuantiles how late timers came, milliseconds; 0 while nothing has been measured
 * @property {number} p50
 * @property {number} p99
 * @property {number} max
 *
 * @typedef {object} LoadOfTime
 * @property {DelayQuantiles} delayMs
 * @property {number} utilization share of the time in which the loop did not wait for events, 0 to 1; 0 while nothing
 * has been measured
 *
 * @typedef {object} LoopLoadReport what agent.load() returns
 * @property {LoadOfTime} lastSecond with what is due at this moment; its utilization is of the last half to whole
 * second
 * @property {LoadOfTime} sinceStart since the agent started, delays to 1 %
 */

/**
 * What the watchdog has called on the host by way of the inspector.
 *
 * @typedef {'start' | 'startIfSmall' | 'take' | 'stay' | 'stop'} ProfilerAction
 */

module.exports = {}
