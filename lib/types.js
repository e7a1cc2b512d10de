'use strict'

/**
 * @import { Cause } from './tables/causes'
 * @import { IncomingMessage } from 'node:http'
 * @import { Http2ServerRequest, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
 */

// Types that several rooms share, and nothing else. A room that may not import another one finds its types here.

/**
 * @typedef {object} Frame one line of a stack; the innermost frame of a stack comes first
 * @property {string | null} function
 * @property {string | null} file path, `node:` name, or null for a built-in of V8
 * @property {number | null} line from 1
 * @property {number | null} column from 1
 * @property {true} [async] it is not on the stack, but awaits what runs there
 * @property {boolean} [compiled] line and column are of code compiled in memory, not of the file
 *
 * @typedef {{ id: number, method: string, route: string, startedAtMs: number, traceId: string | null, ended: boolean,
 * bytesIn?: number | null, bytesOut?: number | null, exact?: boolean, among?: number }} RequestContext the request that
 * was running when a stack was taken, as in RequestRecord; `id` is within the process, `startedAtMs` monotonic
 *
 * @typedef {'request' | 'job' | 'message' | 'task' | 'span' | 'operation'} WorkKind an HTTP request, a queue's job, a
 * broker's or socket's message, a task that the application names or a schedule starts, an OpenTelemetry span without
 * another name, a GraphQL operation
 * @typedef {{ kind: WorkKind, name: string, id: string }} WorkParent
 * @typedef {Omit<WorkRecord, 'startedAt'> & { rootId: string, startedAtMs: number | null }} WorkContext the innermost
 * named work that was running when a stack was taken; `rootId`: the outermost work that contains it, maybe itself;
 * `startedAtMs`: monotonic, null for a span
 */

/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 *
 * @typedef {object} BlockRecord
 * @property {string} id pid and a running number; unique within a process
 * @property {number} pid
 * @property {string} thread `main`, or the name of the application's worker thread, else of its script
 * @property {number} threadId as in node:worker_threads; 0 = main
 * @property {number | null} worker slot of the cluster worker in a primary's list; null in a process's own records
 * @property {string} startedAt wall time; while ongoing, up to uncertaintyMs late
 * @property {number} durationMs while ongoing, so far
 * @property {number} uncertaintyMs the true duration is at most this far from durationMs
 * @property {number} [thresholdMs] shorter blocks are not recorded; missing in records of earlier versions
 * @property {boolean} ongoing
 * @property {boolean} startup top-level code, loading of modules: the block began before the loop's first turn, or
 * before the loop had waited for 20 ms in all, and no request or other work had begun; logged at info
 * @property {Cause} cause provisional while ongoing
 * @property {boolean} [excused] no code is to blame: without waiting for a CPU or being stopped, it would have been no
 * block; 0.1.0 wrote none
 * @property {BlockParts} [parts] where its time went; 0.1.0 wrote none
 * @property {EvidenceRecord} evidence
 * @property {FrameRecord | null} frame the innermost function of the application that blocked longest; of a package if
 * the application's had less than a fifth of the time
 * @property {Frame | null} leaf the innermost function of all
 * @property {PackageRecord | null} [package] the package in `node_modules` whose code was innermost, apart from Node's
 * and V8's own, for at least half of the sampled time; null if there is none, or no code is to blame
 * @property {PackageIssue} [packageIssue] a known issue of the version of a package that ran; else missing
 * @property {ChangeRecord} [change] what the running version of the application has changed about the function of
 * `frame`; missing if nothing is certain
 * @property {number} samples stacks taken
 * @property {StackRecord[]} stacks the answers to interrupts, the ten heaviest
 * @property {WorkRecord | null} [work] the named work that was running longest: a request, a job, a message…
 * @property {RequestRecord | null} request the same if it is an HTTP request, or the request that the work is part of
 * @property {OriginRecord | null} origin where the operation was created whose callback took most of the block; null if
 * that was not tracked (option `origin`), or the operation is Node's own
 * @property {ProfileRecord | null} [profile] what a CPU profile shows of the block; null without one (option `profile`)
 * @property {Frame | null} [generated] code made while the application ran (`new Function`, `vm`, a template) in
 * which `frame` spent most of the block
 * @property {FrameRecord | null} [calledFrom] where the application awaits `frame`, if only packages were on the stack
 * @property {CallbackRecord[]} [callbacks] heaviest first, if several ran in the turn; at most five
 * @property {WorkShare[]} [works] heaviest first, if several had a tenth of the block or more
 * @property {QueryRecord} [query] the longest statement of node:sqlite, if all took a fifth of the block; else missing
 * @property {string | null} [allowed] why the application allows the block: the reason passed to agent.allow(), if at
 * least half of the block was in such calls
 * @property {{ call: string, line: number } | null} [probable] if `frame` is not exact: the one built-in that can take
 * long and stands just before it in the same function
 * @typedef {Frame & { exact: boolean, because?: string[] }} FrameRecord `exact` is false if the line is in doubt;
 * `because` has up to three reasons for the line, the largest first (docs/understand/lines.md)
 * @typedef {object} StackRecord equal stacks as they were taken, with names and source maps applied and nothing else
 * @property {number} count of samples @property {number} weightMs their time @property {Frame[]} frames innermost first
 * @property {true} [isEntered] the innermost function had just been entered: the time was spent before that
 *
 * @typedef {object} BlockParts ms, which add up to durationMs
 * @property {number} js JavaScript on a CPU @property {number} native calls that computed
 * @property {number} gc pauses of the garbage collector
 * @property {number} asleep in a synchronous call
 * @property {number} waiting for a CPU: run queue, throttling, stolen time
 * @property {number} stopped as the whole process was
 * @property {number} unexplained
 *
 * @typedef {object} CallbackRecord one of several callbacks of a block
 * @property {string} kind what ran it: `timer`, `immediate`, `request`, `event`, `continuation` (a promise or nextTick)
 * @property {string} [event] which one, if `kind` is `event`: `data`, `end`, `connection`, `fs`…
 * @property {Frame} frame the outermost function of the application or a package
 * @property {string | null} work its name, as in WorkRecord
 * @property {number} weightMs
 *
 * @typedef {Pick<BlockRecord, 'work' | 'request' | 'frame'> & { weightMs: number }} WorkShare the time that
 * one of several works had, and its line; work and request are null for time outside any
 *
 * @typedef {object} PackageRecord from the package's package.json
 * @property {string} name
 * @property {string | null} version
 * @property {string | null} bugs where bugs are reported: mostly a URL, or a mail address
 *
 * @typedef {object} PackageIssue of a version of a package
 * @property {string} package @property {string} version
 * @property {string} id of the advisory or issue @property {string} link to it
 * @property {string} text a sentence that says what is slow
 * @property {string} [fixed] the version that mends it @property {string} [cure] where no version mends it
 *
 * @typedef {object} ChangeRecord between the running version of the application and earlier ones (option `dir`)
 * @property {'new' | 'slower'} kind new: the function did not block in earlier versions; slower: its blocks are at
 * least twice as long
 * @property {boolean} exact whether earlier versions ran, or blocked, long enough to be certain
 * @property {string} text the change in words, as in the log
 * @property {string} version the running one @property {string} since when it first ran
 * @property {number} [wasMs] median of the function's blocks in the slowest of the earlier versions, if it is slower
 *
 * @typedef {object} OriginRecord
 * @property {string} type of the asynchronous resource: Timeout, PROMISE, TCPCONNECTWRAP…
 * @property {number} durationMs of its callback
 * @property {Frame} frame the innermost function of the application that created it
 * @property {Frame[]} frames the stack that created it, without Node's own innermost frames, at most 20
 *
 * @typedef {object} ProfileRecord from samples that V8 takes by a signal, within native calls as well
 * @property {number} samples
 * @property {string | null} call what `frame` was in: `JSON.parse`, `sort`, `pbkdf2Sync`, `(regular expression)`;
 * null if it was in its own code, or this is unknown
 * @property {boolean} [builtin] `call` is of V8 or Node.js; missing in records of earlier versions
 * @property {StackRecord[]} stacks the ten heaviest: callers are where they begin, the innermost with a file is in the
 * line where V8 counted most samples; `(garbage collector)` has no callers
 *
 * @typedef {object} QueryRecord a statement of node:sqlite on Node.js 26
 * @property {string} text OpenTelemetry's `db.query.text`: without literals and comments, at most 200 characters
 * @property {number} durationMs as SQLite measures it: whole milliseconds
 * @property {number} count of statements in the turn @property {number} totalMs all of them took
 * @property {true} [more] there were more, which were not followed as that would have taken too long
 *
 * @typedef {object} WorkRecord
 * @property {WorkKind} kind
 * @property {string} name for a request its method and route
 * @property {string} id within the process; for a span its span id
 * @property {WorkParent | null} parent the work within which it began
 * @property {string | null} startedAt wall time; null for a span
 * @property {Record<string, string | number>} attributes the application's own, at most 8; `size`: bytes of its input
 * @property {string | null} traceId of the active OpenTelemetry span, else of a request's traceparent header
 * @property {string | null} spanId of the active OpenTelemetry span
 * @property {boolean | null} sampled whether that span is; null without one
 * @property {boolean} ended it had ended before: it left work behind, or opened a resource for other work
 * @property {boolean} [exact] false if it is uncertain that this one ran: messages write its name after ≈
 * @property {number} [among] if uncertain: number of requests and jobs in flight, of which this is the oldest
 *
 * @typedef {object} RequestRecord
 * @property {string} method
 * @property {string} route template, never the URL
 * @property {string} startedAt wall time
 * @property {boolean} ended its response had been sent before: it left work behind, or opened a resource for other work
 * @property {string | null} traceId of the active OpenTelemetry span, else of its traceparent header
 * @property {number | null} [bytesIn] its body: the content-length, else the bytes that had arrived
 * @property {number | null} [bytesOut] the part of the answer that had been sent
 * @property {boolean} [exact] false if it is uncertain that this one ran
 * @property {number} [among] if uncertain: number of requests and jobs in flight, of which this is the oldest
 *
 * @typedef {object} EvidenceRecord null if this machine does not provide the value
 * @property {number | null} cpuMs on a CPU
 * @property {number} gcMs in pauses of the garbage collector; by samples for worker threads; 0 if gc: 'off'
 * @property {number | null} runQueueMs runnable, waiting for a CPU
 * @property {number | null} throttledMs out of CPU quota
 * @property {number | null} stolenMs a hypervisor ran others on its CPU, as far as nothing else explains the time;
 * null if the block was too short for two readings
 * @property {number | null} answerMs median time the host took to answer an interrupt
 * @property {number} nativeMs inside native calls, according to the samples
 * @property {number} [ownMs] of the block that loopwatch itself kept the thread for, as the host measured
 * @property {number} watchdogGapMs the watchdog did not run either, and no other thread of the process did
 * @property {MemoryRecord} [memory] of the main thread and its process; worker threads have none
 * @property {number} requests distinct ones seen in samples
 * @property {SleptIn} [sleptIn] what the thread slept in longest, if it mostly slept (Linux)
 *
 * @typedef {object} SleptIn
 * @property {string} call the system call: `read`, `poll`, `futex`…
 * @property {string | null} target what it waits for: a path, a descriptor, a socket, a child process, the database
 * whose lock another connection holds; null if unknown
 * @property {string} text both in words: `read of /mnt/nfs/x`, `waits for the lock of a SQLite database: /srv/x.db`
 * @property {number} share of the looks that found the thread in this call, 0 to 1
 *
 * @typedef {object} MemoryRecord bytes; null if this system does not report the value
 * @property {number} [heapUsedBytes] the most that was seen in use within the block
 * @property {number} [heapFreedBytes] the most that was freed of it
 * @property {number} [heapLimitBytes] at which V8 ends the process
 * @property {number} [externalBytes] outside the heap and held by it, such as buffers
 * @property {number | null} [allocatedBytesPerSecond] null before Node.js 26
 * @property {boolean} [isHeapFull] collected as a whole, 80% of the limit stayed in use: something keeps memory
 * @property {HeapProfileRecord} [heapProfile] the latest, at most ten minutes before, or the one after the block
 * @property {number | null} rssBytes resident memory of the process
 * @property {number | null} cgroupBytes in use by the cgroup, which is the container's
 * @property {number | null} cgroupLimitBytes null as well if there is no limit
 * @property {number | null} majorFaults pages that the thread waited for from disk or swap within the block
 * @property {number | null} memoryStallMs of the block in which something in the machine waited for memory
 * @property {number | null} ioStallMs the same for disks
 *
 * @typedef {object} HeapProfileRecord of ten seconds, by functions, those with most memory first
 * @property {string} block the id of the block before it, empty without one: the loop was busy with collections
 * @property {boolean} isHeapFull this block or a later one found the heap nearly full
 * @property {MemoryShare[]} [allocatedBy] all that was allocated
 * @property {MemoryShare[]} [keptBy] what was allocated and stayed in use
 * @typedef {Frame & { share: number }} MemoryShare a function where it begins, and its share from 0 to 1
 */

/**
 * @typedef {object} HeapReading the heap of one isolate, bytes
 * @property {number} usedBytes
 * @property {number} limitBytes as of `--max-old-space-size`
 * @property {number} externalBytes outside the heap and held by it, such as buffers
 * @property {number | null} allocatedBytes so far in all, null before Node.js 26
 *
 * @typedef {object} MemoryReading of the process and its system, null if that does not report it
 * @property {number | null} rssBytes
 * @property {number | null} cgroupBytes
 * @property {number | null} cgroupLimitBytes null as well without a limit
 * @property {number | null} majorFaults pages that the main thread has waited for so far, from disk or swap
 * @property {number | null} memoryStallMs in which something in the machine has waited for memory so far
 * @property {number | null} ioStallMs the same for disks
 */

/**
 * @typedef {object} BlockSpan a block as a span of a trace; times are wall times, milliseconds since 1970
 * @property {string} traceId
 * @property {string} spanId its own
 * @property {string} parentSpanId the innermost span that was delayed
 * @property {string} name
 * @property {number} startMs
 * @property {number} endMs
 * @property {Record<string, string | number | boolean | null | undefined>} attributes
 * @property {{ traceId: string, spanId: string }[]} links to the callers' spans of the requests that waited
 *
 * @typedef {{ labelSet: Record<string, string>, value: number, timestamp: number }} Exemplar
 * @typedef {{ labels: Record<string, string | number>, value: number, metricName?: string,
 * exemplar?: Exemplar | null }} Value as prom-client gives it; `metricName`: name_bucket, name_sum or name_count, if it
 * is not the metric's own
 * @typedef {{ name: string, help: string, type: string, values: Value[] }} Metric
 * @typedef {{ name: string, help: string, type: string, groups: { worker: string | null, values: Value[] }[] }} Family
 * a metric of a whole cluster, by worker
 *
 * @typedef {{ kind: 'single' | 'primary' | 'worker', primaryPid: number, tmpdir: string }} Role what a process is in a
 * cluster of node:cluster, as its host knows it
 *
 * @typedef {{ httpVersionMajor: number, method: string | undefined, url: string | undefined, rawHeaders: string[],
 * headers: IncomingHttpHeaders, stream: ServerHttp2Stream }} StreamRequest
 * a request to an HTTP/2 server that listens only to `stream` (as gRPC does): the parts of a request that a stream has
 * @typedef {IncomingMessage | Http2ServerRequest | StreamRequest} HttpRequest
 * @typedef {{ p50: number, p99: number, max: number }} DelayQuantiles how late timers came, in milliseconds; 0 while
 * nothing has been measured
 *
 * @typedef {object} SlowIncident what made the application slow without a block
 * @property {'thread_pool' | 'dns_lookups' | 'busy_loop' | 'worker_threads' | 'waiting'} kind all threads of libuv's
 * pool were busy, or those that may look up names; or the loop was, with short turns; or all worker threads of one
 * name; or requests waited for another service or a pooled connection while the loop was idle
 * @property {string} startedAt ISO 8601
 * @property {number} durationMs so far while `ongoing`
 * @property {boolean} ongoing
 * @property {number} requests HTTP requests and named works that were in flight meanwhile
 * @property {string} message @property {string} advice
 * @property {number} [longestMs] that a piece of work waited for the thread pool, or a request for the peer
 * @property {Record<string, number>} [resources] of the main thread, by the names of process.getActiveResourcesInfo();
 * of the kind `waiting`: open handles by kind and peer, such as `sockets to 10.0.0.5:5432`
 * @property {number} [threads] of the pool, or worker threads of the name
 * @property {string} [thread] the name of the worker threads
 * @property {number} [utilization] of the loop, or of those threads, 0 to 1
 * @property {number} [turns] of the loop, 0 if Node.js does not count them
 * @property {Frame | null} [frame] that had most of the time, null if no profile shows it; of the kind `waiting`: the
 * line of the application that calls the peer
 * @property {string | null} [peer] what requests waited for, such as `GET api.example.com:443` or `mysql2 pool to
 * db:3306`; null: something that publishes nothing
 * @property {boolean} [exact] false if requests may wait for something else than the peer
 * @property {number} [waiting] requests that waited for it at a time
 * @property {string[]} [routes] of these requests
 * @property {number} [inUse] connections of the pool, if it shows them
 * @property {number} [limit] most connections of the pool
 *
 * @typedef {object} LoadOfTime
 * @property {DelayQuantiles} delayMs
 * @property {number} utilization share of the time in which the loop did not wait for events, 0 to 1; 0 while nothing
 * has been measured
 *
 * @typedef {object} LoopLoadReport what agent.load() returns
 * @property {LoadOfTime} lastSecond with what is due now; its utilization is of the last half to whole second
 * @property {LoadOfTime} sinceStart since the agent started, delays to 1%
 * @property {number} threadPoolDelayMs how long a piece of work last waited for libuv's thread pool, 0 if that was not
 * measured: it is while the application works
 * @property {number} busyMs for how long the loop has been busy with short turns: 0, or from 10,000 on
 * @property {{ heapUsedBytes: number, heapLimitBytes: number, externalBytes: number, rssBytes: number }} memory now;
 * `heapLimitBytes` is that of --max-old-space-size; 0 if it is unknown
 *
 * @typedef {'start' | 'take' | 'keep' | 'stay' | 'stop'} ProfilerAction what the host does with its
 * profile: the watchdog asks for each but 'take'
 */

module.exports = {}
