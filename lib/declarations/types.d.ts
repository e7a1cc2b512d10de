/// <reference types="node" />
/**
 * one line of a stack; the innermost frame of a stack comes first
 */
export type Frame = {
 function: string | null;
 /**
  * path, `node:` name, or null for a built-in of V8
  */
 file: string | null;
 /**
  * from 1
  */
 line: number | null;
 /**
  * from 1
  */
 column: number | null;
 /**
  * it is not on the stack, but awaits what runs there
  */
 async?: true | undefined;
 /**
  * line and column are of code compiled in memory, not of the file
  */
 compiled?: boolean | undefined;
};
/**
 * the request that
 * was running when a stack was taken, as in RequestRecord; `id` is within the process, `startedAtMs` monotonic
 */
export type RequestContext = {
 id: number;
 method: string;
 route: string;
 startedAtMs: number;
 traceId: string | null;
 ended: boolean;
 bytesIn?: number | null;
 bytesOut?: number | null;
 exact?: boolean;
 among?: number;
};
/**
 * an HTTP request, a queue's job, a
 * broker's or socket's message, a task that the application names or a schedule starts, an OpenTelemetry span without
 * another name, a GraphQL operation
 */
export type WorkKind = "request" | "job" | "message" | "task" | "span" | "operation";
export type WorkParent = {
 kind: WorkKind;
 name: string;
 id: string;
};
/**
 * the innermost
 * named work that was running when a stack was taken; `rootId`: the outermost work that contains it, maybe itself;
 * `startedAtMs`: monotonic, null for a span
 */
export type WorkContext = Omit<WorkRecord, "startedAt"> & {
 rootId: string;
 startedAtMs: number | null;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 */
export type BlockRecord = {
 /**
  * pid and a running number; unique within a process
  */
 id: string;
 pid: number;
 /**
  * `main`, or the name of the application's worker thread, else of its script
  */
 thread: string;
 /**
  * as in node:worker_threads; 0 = main
  */
 threadId: number;
 /**
  * slot of the cluster worker in a primary's list; null in a process's own records
  */
 worker: number | null;
 /**
  * wall time; while ongoing, up to uncertaintyMs late
  */
 startedAt: string;
 /**
  * while ongoing, so far
  */
 durationMs: number;
 /**
  * the true duration is at most this far from durationMs
  */
 uncertaintyMs: number;
 /**
  * shorter blocks are not recorded; missing in records of earlier versions
  */
 thresholdMs?: number | undefined;
 ongoing: boolean;
 /**
  * top-level code, loading of modules: the block began before the loop's first turn, or
  * before the loop had waited for 20 ms in all, and no request or other work had begun; logged at info
  */
 startup: boolean;
 /**
  * provisional while ongoing
  */
 cause: Cause;
 /**
  * no code is to blame: without waiting for a CPU or being stopped, it would have been no
  * block; 0.1.0 wrote none
  */
 excused?: boolean | undefined;
 /**
  * where its time went; 0.1.0 wrote none
  */
 parts?: BlockParts | undefined;
 evidence: EvidenceRecord;
 /**
  * the innermost function of the application that blocked longest; of a package if
  * the application's had less than a fifth of the time
  */
 frame: FrameRecord | null;
 /**
  * the innermost function of all
  */
 leaf: Frame | null;
 /**
  * the package in `node_modules` whose code was innermost, apart from Node's
  * and V8's own, for at least half of the sampled time; null if there is none, or no code is to blame
  */
 package?: PackageRecord | null | undefined;
 /**
  * a known issue of the version of a package that ran; else missing
  */
 packageIssue?: PackageIssue | undefined;
 /**
  * what the running version of the application has changed about the function of
  * `frame`; missing if nothing is certain
  */
 change?: ChangeRecord | undefined;
 /**
  * stacks taken
  */
 samples: number;
 /**
  * the answers to interrupts, the ten heaviest
  */
 stacks: StackRecord[];
 /**
  * the named work that was running longest: a request, a job, a message…
  */
 work?: WorkRecord | null | undefined;
 /**
  * the same if it is an HTTP request, or the request that the work is part of
  */
 request: RequestRecord | null;
 /**
  * where the operation was created whose callback took most of the block; null if
  * that was not tracked (option `origin`), or the operation is Node's own
  */
 origin: OriginRecord | null;
 /**
  * what a CPU profile shows of the block; null without one (option `profile`)
  */
 profile?: ProfileRecord | null | undefined;
 /**
  * code made while the application ran (`new Function`, `vm`, a template) in
  * which `frame` spent most of the block
  */
 generated?: Frame | null | undefined;
 /**
  * where the application awaits `frame`, if only packages were on the stack
  */
 calledFrom?: FrameRecord | null | undefined;
 /**
  * heaviest first, if several ran in the turn; at most five
  */
 callbacks?: CallbackRecord[] | undefined;
 /**
  * heaviest first, if several had a tenth of the block or more
  */
 works?: WorkShare[] | undefined;
 /**
  * the longest statement of node:sqlite, if all took a fifth of the block; else missing
  */
 query?: QueryRecord | undefined;
 /**
  * why the application allows the block: the reason passed to agent.allow(), if at
  * least half of the block was in such calls
  */
 allowed?: string | null | undefined;
 /**
  * if `frame` is not exact: the one built-in that can take
  * long and stands just before it in the same function
  */
 probable?: {
  call: string;
  line: number;
 } | null | undefined;
};
/**
 * `exact` is false if the line is in doubt;
 * `because` has up to three reasons for the line, the largest first (docs/understand/lines.md)
 */
export type FrameRecord = Frame & {
 exact: boolean;
 because?: string[];
};
/**
 * equal stacks as they were taken, with names and source maps applied and nothing else
 */
export type StackRecord = {
 /**
  * of samples
  */
 count: number;
 /**
  * their time
  */
 weightMs: number;
 /**
  * innermost first
  */
 frames: Frame[];
 /**
  * the innermost function had just been entered: the time was spent before that
  */
 isEntered?: true | undefined;
};
/**
 * ms, which add up to durationMs
 */
export type BlockParts = {
 /**
  * JavaScript on a CPU
  */
 js: number;
 /**
  * calls that computed
  */
 native: number;
 /**
  * pauses of the garbage collector
  */
 gc: number;
 /**
  * in a synchronous call
  */
 asleep: number;
 /**
  * for a CPU: run queue, throttling, stolen time
  */
 waiting: number;
 /**
  * as the whole process was
  */
 stopped: number;
 unexplained: number;
};
/**
 * one of several callbacks of a block
 */
export type CallbackRecord = {
 /**
  * what ran it: `timer`, `immediate`, `request`, `event`, `continuation` (a promise or nextTick)
  */
 kind: string;
 /**
  * which one, if `kind` is `event`: `data`, `end`, `connection`, `fs`…
  */
 event?: string | undefined;
 /**
  * the outermost function of the application or a package
  */
 frame: Frame;
 /**
  * its name, as in WorkRecord
  */
 work: string | null;
 weightMs: number;
};
/**
 * the time that
 * one of several works had, and its line; work and request are null for time outside any
 */
export type WorkShare = Pick<BlockRecord, "work" | "request" | "frame"> & {
 weightMs: number;
};
/**
 * from the package's package.json
 */
export type PackageRecord = {
 name: string;
 version: string | null;
 /**
  * where bugs are reported: mostly a URL, or a mail address
  */
 bugs: string | null;
};
/**
 * of a version of a package
 */
export type PackageIssue = {
 package: string;
 version: string;
 /**
  * of the advisory or issue
  */
 id: string;
 /**
  * to it
  */
 link: string;
 /**
  * a sentence that says what is slow
  */
 text: string;
 /**
  * the version that mends it
  */
 fixed?: string | undefined;
 /**
  * where no version mends it
  */
 cure?: string | undefined;
};
/**
 * between the running version of the application and earlier ones (option `dir`)
 */
export type ChangeRecord = {
 /**
  * new: the function did not block in earlier versions; slower: its blocks are at
  * least twice as long
  */
 kind: "new" | "slower";
 /**
  * whether earlier versions ran, or blocked, long enough to be certain
  */
 exact: boolean;
 /**
  * the change in words, as in the log
  */
 text: string;
 /**
  * the running one
  */
 version: string;
 /**
  * when it first ran
  */
 since: string;
 /**
  * median of the function's blocks in the slowest of the earlier versions, if it is slower
  */
 wasMs?: number | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 */
export type OriginRecord = {
 /**
  * of the asynchronous resource: Timeout, PROMISE, TCPCONNECTWRAP…
  */
 type: string;
 /**
  * of its callback
  */
 durationMs: number;
 /**
  * the innermost function of the application that created it
  */
 frame: Frame;
 /**
  * the stack that created it, without Node's own innermost frames, at most 20
  */
 frames: Frame[];
};
/**
 * from samples that V8 takes by a signal, within native calls as well
 */
export type ProfileRecord = {
 samples: number;
 /**
  * what `frame` was in: `JSON.parse`, `sort`, `pbkdf2Sync`, `(regular expression)`;
  * null if it was in its own code, or this is unknown
  */
 call: string | null;
 /**
  * `call` is of V8 or Node.js; missing in records of earlier versions
  */
 builtin?: boolean | undefined;
 /**
  * the ten heaviest: callers are where they begin, the innermost with a file is in the
  * line where V8 counted most samples; `(garbage collector)` has no callers
  */
 stacks: StackRecord[];
};
/**
 * a statement of node:sqlite on Node.js 26
 */
export type QueryRecord = {
 /**
  * OpenTelemetry's `db.query.text`: without literals and comments, at most 200 characters
  */
 text: string;
 /**
  * as SQLite measures it: whole milliseconds
  */
 durationMs: number;
 /**
  * of statements in the turn
  */
 count: number;
 /**
  * all of them took
  */
 totalMs: number;
 /**
  * there were more, which were not followed as that would have taken too long
  */
 more?: true | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 */
export type WorkRecord = {
 kind: WorkKind;
 /**
  * for a request its method and route
  */
 name: string;
 /**
  * within the process; for a span its span id
  */
 id: string;
 /**
  * the work within which it began
  */
 parent: WorkParent | null;
 /**
  * wall time; null for a span
  */
 startedAt: string | null;
 /**
  * the application's own, at most 8; `size`: bytes of its input
  */
 attributes: Record<string, string | number>;
 /**
  * of the active OpenTelemetry span, else of a request's traceparent header
  */
 traceId: string | null;
 /**
  * of the active OpenTelemetry span
  */
 spanId: string | null;
 /**
  * whether that span is; null without one
  */
 sampled: boolean | null;
 /**
  * it had ended before: it left work behind, or opened a resource for other work
  */
 ended: boolean;
 /**
  * false if it is uncertain that this one ran: messages write its name after ≈
  */
 exact?: boolean | undefined;
 /**
  * if uncertain: number of requests and jobs in flight, of which this is the oldest
  */
 among?: number | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 */
export type RequestRecord = {
 method: string;
 /**
  * template, never the URL
  */
 route: string;
 /**
  * wall time
  */
 startedAt: string;
 /**
  * its response had been sent before: it left work behind, or opened a resource for other work
  */
 ended: boolean;
 /**
  * of the active OpenTelemetry span, else of its traceparent header
  */
 traceId: string | null;
 /**
  * its body: the content-length, else the bytes that had arrived
  */
 bytesIn?: number | null | undefined;
 /**
  * the part of the answer that had been sent
  */
 bytesOut?: number | null | undefined;
 /**
  * false if it is uncertain that this one ran
  */
 exact?: boolean | undefined;
 /**
  * if uncertain: number of requests and jobs in flight, of which this is the oldest
  */
 among?: number | undefined;
};
/**
 * null if this machine does not provide the value
 */
export type EvidenceRecord = {
 /**
  * on a CPU
  */
 cpuMs: number | null;
 /**
  * in pauses of the garbage collector; by samples for worker threads; 0 if gc: 'off'
  */
 gcMs: number;
 /**
  * runnable, waiting for a CPU
  */
 runQueueMs: number | null;
 /**
  * out of CPU quota
  */
 throttledMs: number | null;
 /**
  * a hypervisor ran others on its CPU, as far as nothing else explains the time;
  * null if the block was too short for two readings
  */
 stolenMs: number | null;
 /**
  * median time the host took to answer an interrupt
  */
 answerMs: number | null;
 /**
  * inside native calls, according to the samples
  */
 nativeMs: number;
 /**
  * of the block that loopwatch itself kept the thread for, as the host measured
  */
 ownMs?: number | undefined;
 /**
  * the watchdog did not run either, and no other thread of the process did
  */
 watchdogGapMs: number;
 /**
  * of the main thread and its process; worker threads have none
  */
 memory?: MemoryRecord | undefined;
 /**
  * distinct ones seen in samples
  */
 requests: number;
 /**
  * what the thread slept in longest, if it mostly slept (Linux)
  */
 sleptIn?: SleptIn | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds, wall times ISO 8601 in
 * UTC.
 */
export type SleptIn = {
 /**
  * the system call: `read`, `poll`, `futex`…
  */
 call: string;
 /**
  * what it waits for: a path, a descriptor, a socket, a child process, the database
  * whose lock another connection holds; null if unknown
  */
 target: string | null;
 /**
  * both in words: `read of /mnt/nfs/x`, `waits for the lock of a SQLite database: /srv/x.db`
  */
 text: string;
 /**
  * of the looks that found the thread in this call, 0 to 1
  */
 share: number;
};
/**
 * bytes; null if this system does not report the value
 */
export type MemoryRecord = {
 /**
  * the most that was seen in use within the block
  */
 heapUsedBytes?: number | undefined;
 /**
  * the most that was freed of it
  */
 heapFreedBytes?: number | undefined;
 /**
  * at which V8 ends the process
  */
 heapLimitBytes?: number | undefined;
 /**
  * outside the heap and held by it, such as buffers
  */
 externalBytes?: number | undefined;
 /**
  * null before Node.js 26
  */
 allocatedBytesPerSecond?: number | null | undefined;
 /**
  * collected as a whole, 80% of the limit stayed in use: something keeps memory
  */
 isHeapFull?: boolean | undefined;
 /**
  * the latest, at most ten minutes before, or the one after the block
  */
 heapProfile?: HeapProfileRecord | undefined;
 /**
  * resident memory of the process
  */
 rssBytes: number | null;
 /**
  * in use by the cgroup, which is the container's
  */
 cgroupBytes: number | null;
 /**
  * null as well if there is no limit
  */
 cgroupLimitBytes: number | null;
 /**
  * pages that the thread waited for from disk or swap within the block
  */
 majorFaults: number | null;
 /**
  * of the block in which something in the machine waited for memory
  */
 memoryStallMs: number | null;
 /**
  * the same for disks
  */
 ioStallMs: number | null;
};
/**
 * of ten seconds, by functions, those with most memory first
 */
export type HeapProfileRecord = {
 /**
  * the id of the block before it, empty without one: the loop was busy with collections
  */
 block: string;
 /**
  * this block or a later one found the heap nearly full
  */
 isHeapFull: boolean;
 /**
  * all that was allocated
  */
 allocatedBy?: MemoryShare[] | undefined;
 /**
  * what was allocated and stayed in use
  */
 keptBy?: MemoryShare[] | undefined;
};
/**
 * a function where it begins, and its share from 0 to 1
 */
export type MemoryShare = Frame & {
 share: number;
};
/**
 * the heap of one isolate, bytes
 */
export type HeapReading = {
 usedBytes: number;
 /**
  * as of `--max-old-space-size`
  */
 limitBytes: number;
 /**
  * outside the heap and held by it, such as buffers
  */
 externalBytes: number;
 /**
  * so far in all, null before Node.js 26
  */
 allocatedBytes: number | null;
};
/**
 * of the process and its system, null if that does not report it
 */
export type MemoryReading = {
 rssBytes: number | null;
 cgroupBytes: number | null;
 /**
  * null as well without a limit
  */
 cgroupLimitBytes: number | null;
 /**
  * pages that the main thread has waited for so far, from disk or swap
  */
 majorFaults: number | null;
 /**
  * in which something in the machine has waited for memory so far
  */
 memoryStallMs: number | null;
 /**
  * the same for disks
  */
 ioStallMs: number | null;
};
/**
 * a block as a span of a trace; times are wall times, milliseconds since 1970
 */
export type BlockSpan = {
 traceId: string;
 /**
  * its own
  */
 spanId: string;
 /**
  * the innermost span that was delayed
  */
 parentSpanId: string;
 name: string;
 startMs: number;
 endMs: number;
 attributes: Record<string, string | number | boolean | null | undefined>;
 /**
  * to the callers' spans of the requests that waited
  */
 links: {
  traceId: string;
  spanId: string;
 }[];
};
export type Exemplar = {
 labelSet: Record<string, string>;
 value: number;
 timestamp: number;
};
/**
 * as prom-client gives it; `metricName`: name_bucket, name_sum or name_count, if it
 * is not the metric's own
 */
export type Value = {
 labels: Record<string, string | number>;
 value: number;
 metricName?: string;
 exemplar?: Exemplar | null;
};
export type Metric = {
 name: string;
 help: string;
 type: string;
 values: Value[];
};
/**
 * a metric of a whole cluster, by worker
 */
export type Family = {
 name: string;
 help: string;
 type: string;
 groups: {
  worker: string | null;
  values: Value[];
 }[];
};
/**
 * what a process is in a
 * cluster of node:cluster, as its host knows it
 */
export type Role = {
 kind: "single" | "primary" | "worker";
 primaryPid: number;
 tmpdir: string;
};
/**
 * a request to an HTTP/2 server that listens only to `stream` (as gRPC does): the parts of a request that a stream has
 */
export type StreamRequest = {
 httpVersionMajor: number;
 method: string | undefined;
 url: string | undefined;
 rawHeaders: string[];
 headers: IncomingHttpHeaders;
 stream: ServerHttp2Stream;
};
export type HttpRequest = IncomingMessage | Http2ServerRequest | StreamRequest;
/**
 * how late timers came, in milliseconds; 0 while
 * nothing has been measured
 */
export type DelayQuantiles = {
 p50: number;
 p99: number;
 max: number;
};
/**
 * what made the application slow without a block
 */
export type SlowIncident = {
 /**
  * all threads of libuv's
  * pool were busy, or those that may look up names; or the loop was, with short turns; or all worker threads of one
  * name; or requests waited for another service or a pooled connection while the loop was idle
  */
 kind: "thread_pool" | "dns_lookups" | "busy_loop" | "worker_threads" | "waiting";
 /**
  * ISO 8601
  */
 startedAt: string;
 /**
  * so far while `ongoing`
  */
 durationMs: number;
 ongoing: boolean;
 /**
  * HTTP requests and named works that were in flight meanwhile
  */
 requests: number;
 message: string;
 advice: string;
 /**
  * that a piece of work waited for the thread pool, or a request for the peer
  */
 longestMs?: number | undefined;
 /**
  * of the main thread, by the names of process.getActiveResourcesInfo();
  * of the kind `waiting`: open handles by kind and peer, such as `sockets to 10.0.0.5:5432`
  */
 resources?: Record<string, number> | undefined;
 /**
  * of the pool, or worker threads of the name
  */
 threads?: number | undefined;
 /**
  * the name of the worker threads
  */
 thread?: string | undefined;
 /**
  * of the loop, or of those threads, 0 to 1
  */
 utilization?: number | undefined;
 /**
  * of the loop, 0 if Node.js does not count them
  */
 turns?: number | undefined;
 /**
  * that had most of the time, null if no profile shows it; of the kind `waiting`: the
  * line of the application that calls the peer
  */
 frame?: Frame | null | undefined;
 /**
  * what requests waited for, such as `GET api.example.com:443` or `mysql2 pool to
  * db:3306`; null: something that publishes nothing
  */
 peer?: string | null | undefined;
 /**
  * false if requests may wait for something else than the peer
  */
 exact?: boolean | undefined;
 /**
  * requests that waited for it at a time
  */
 waiting?: number | undefined;
 /**
  * of these requests
  */
 routes?: string[] | undefined;
 /**
  * connections of the pool, if it shows them
  */
 inUse?: number | undefined;
 /**
  * most connections of the pool
  */
 limit?: number | undefined;
};
export type LoadOfTime = {
 delayMs: DelayQuantiles;
 /**
  * share of the time in which the loop did not wait for events, 0 to 1; 0 while nothing
  * has been measured
  */
 utilization: number;
};
/**
 * what agent.load() returns
 */
export type LoopLoadReport = {
 /**
  * with what is due now; its utilization is of the last half to whole second
  */
 lastSecond: LoadOfTime;
 /**
  * since the agent started, delays to 1%
  */
 sinceStart: LoadOfTime;
 /**
  * how long a piece of work last waited for libuv's thread pool, 0 if that was not
  * measured: it is while the application works
  */
 threadPoolDelayMs: number;
 /**
  * for how long the loop has been busy with short turns: 0, or from 10,000 on
  */
 busyMs: number;
 /**
  * now;
  * `heapLimitBytes` is that of --max-old-space-size; 0 if it is unknown
  */
 memory: {
  heapUsedBytes: number;
  heapLimitBytes: number;
  externalBytes: number;
  rssBytes: number;
 };
};
/**
 * what the host does with its
 * profile: the watchdog asks for each but 'take'
 */
export type ProfilerAction = "start" | "take" | "keep" | "stay" | "stop";
import type { Cause } from './tables/causes';
import type { IncomingHttpHeaders } from 'node:http2';
import type { ServerHttp2Stream } from 'node:http2';
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
