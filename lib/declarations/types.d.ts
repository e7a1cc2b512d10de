/**
 * one line of a stack; stacks have the innermost frame first
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
  * line and column are of code that was compiled in memory, not of the file
  */
 compiled?: boolean | undefined;
};
/**
 * the request that was running when a stack was taken
 */
export type RequestContext = {
 /**
  * of the request within the process
  */
 id: number;
 method: string;
 /**
  * template
  */
 route: string;
 /**
  * monotonic
  */
 startedAtMs: number;
 traceId: string | null;
 /**
  * the request had been answered before
  */
 ended: boolean;
 /**
  * false where it is in doubt that this one ran
  */
 exact?: boolean | undefined;
 /**
  * where in doubt: so many requests and jobs were in flight, and this is the oldest
  */
 among?: number | undefined;
};
/**
 * of an HTTP request, a queue's job,
 * a broker's or socket's message, what the application names itself or a schedule starts, an OpenTelemetry span that
 * nobody has named otherwise, a GraphQL operation
 */
export type WorkKind = "request" | "job" | "message" | "task" | "span" | "operation";
export type WorkParent = {
 kind: WorkKind;
 name: string;
 id: string;
};
/**
 * the innermost named work that was running when a stack was taken
 */
export type WorkContext = {
 kind: WorkKind;
 name: string;
 /**
  * within the process; of a span its span id
  */
 id: string;
 /**
  * of the outermost work that it is part of, itself perhaps
  */
 rootId: string;
 parent: WorkParent | null;
 /**
  * monotonic; null of a span
  */
 startedAtMs: number | null;
 attributes: Record<string, string | number>;
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
  * it was over before: what it left behind
  */
 ended: boolean;
 /**
  * false where it is in doubt that this one ran
  */
 exact?: boolean | undefined;
 /**
  * where in doubt: so many requests and jobs were in flight, and this is the oldest
  */
 among?: number | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
 */
export type BlockRecord = {
 /**
  * pid and a running number; unique within a process
  */
 id: string;
 pid: number;
 /**
  * `main`, or the name of a worker thread of the application, else its script's
  */
 thread: string;
 /**
  * as in node:worker_threads; 0 = main
  */
 threadId: number;
 /**
  * slot of the cluster worker it comes from, in what a primary lists; null in a
  * process's own records
  */
 worker: number | null;
 /**
  * wall time; where ongoing, up to uncertaintyMs late
  */
 startedAt: string;
 /**
  * so far, where ongoing
  */
 durationMs: number;
 /**
  * the true duration is at most this far from durationMs
  */
 uncertaintyMs: number;
 ongoing: boolean;
 /**
  * code at the top level, modules being loaded: the block began before the loop's first
  * turn, or before the loop had waited for 20 ms in all, and no request was seen in it; logged at info
  */
 startup: boolean;
 /**
  * provisional where ongoing
  */
 cause: import("./tables/causes").Cause;
 evidence: EvidenceRecord;
 /**
  * the innermost function of the application that blocked longest, or of a
  * package where the application's had less than a fifth of the time
  */
 frame: FrameRecord | null;
 /**
  * the innermost function of all
  */
 leaf: Frame | null;
 /**
  * the package in `node_modules` whose code was innermost, but for Node's
  * and V8's own, in at least half of the samples' time; null where there is none, or no code is to blame
  */
 package?: PackageRecord | null | undefined;
 /**
  * stacks taken
  */
 samples: number;
 /**
  * equal stacks folded, the ten heaviest
  */
 stacks: StackRecord[];
 /**
  * the named work that was running longest: a request, a job, a message…
  */
 work?: WorkRecord | null | undefined;
 /**
  * the same as an HTTP request, or the one that the work is part of
  */
 request: RequestRecord | null;
 /**
  * where the operation was created whose callback made most of the block; null
  * where that was not tracked (option `origin`), or the operation is Node's own
  */
 origin: OriginRecord | null;
 /**
  * what a CPU profile says of the block; null where none was taken
  * (option `profile`)
  */
 profile?: ProfileRecord | null | undefined;
 /**
  * code made while the application ran (`new Function`, `vm`, a template) in
  * which `frame` spent most of the block
  */
 generated?: Frame | null | undefined;
 /**
  * heaviest first, where several ran in the turn; at most five
  */
 callbacks?: CallbackRecord[] | undefined;
 /**
  * why the application lets it block: the reason that agent.allow() was given, where
  * at least half of the block was in such calls
  */
 allowed?: string | null | undefined;
 /**
  * where `frame` is not exact: the one built-in that can
  * take long and stands just before it in the same function
  */
 probable?: {
  call: string;
  line: number;
 } | null | undefined;
};
/**
 * `exact` is false where the stack could only be taken when a native
 * call had returned: the frame may then name the next line, or the caller, unless a CPU profile has told; and where
 * `compiled` is true
 */
export type FrameRecord = Frame & {
 exact: boolean;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
 */
export type StackRecord = {
 count: number;
 weightMs: number;
 frames: Frame[];
};
/**
 * one of several callbacks of a block
 */
export type CallbackRecord = {
 /**
  * what ran it: `timer`, `immediate`, `request`, `continuation` (of a promise, or nextTick),
  * `event`
  */
 kind: string;
 /**
  * the outermost function of the application or a package
  */
 frame: Frame;
 /**
  * as in WorkRecord, its name
  */
 work: string | null;
 weightMs: number;
};
/**
 * what the package's package.json says
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
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
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
  * the stack that created it from Node's edge on, at most 20
  */
 frames: Frame[];
};
/**
 * of samples that V8 takes by a signal, within native calls as well
 */
export type ProfileRecord = {
 samples: number;
 /**
  * what `frame` was in: `JSON.parse`, `sort`, `pbkdf2Sync`, `(regular expression)`;
  * null where it was in its own code, or nothing tells
  */
 call: string | null;
 /**
  * the ten heaviest; the line of a function is where it begins, of the innermost
  * mostly where it was
  */
 stacks: StackRecord[];
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
 */
export type WorkRecord = {
 kind: WorkKind;
 /**
  * of a request its method and route
  */
 name: string;
 /**
  * within the process; of a span its span id
  */
 id: string;
 /**
  * the work within which it was begun
  */
 parent: WorkParent | null;
 /**
  * wall time; null of a span
  */
 startedAt: string | null;
 /**
  * the application's own words: at most 8
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
  * it was over before: work it left behind, or a resource it opened for others
  */
 ended: boolean;
 /**
  * false where it is in doubt that this one ran: messages write its name after ≈
  */
 exact?: boolean | undefined;
 /**
  * where in doubt: so many requests and jobs were in flight, and this is the oldest
  */
 among?: number | undefined;
};
/**
 * One block of the event loop, as stored, served and logged: plain JSON. Times are milliseconds,
 * wall times ISO 8601 in UTC.
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
  * it had been answered before: work it left behind, or a resource it opened for others
  */
 ended: boolean;
 /**
  * of the active OpenTelemetry span, else of its traceparent header
  */
 traceId: string | null;
 /**
  * false where it is in doubt that this one ran
  */
 exact?: boolean | undefined;
 /**
  * where in doubt: so many requests and jobs were in flight, and this is the oldest
  */
 among?: number | undefined;
};
/**
 * nulls where this machine does not tell
 */
export type EvidenceRecord = {
 /**
  * on a CPU
  */
 cpuMs: number | null;
 /**
  * in pauses of the garbage collector, 0 where they are not observed (worker threads, gc: 'off')
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
  * null where it was too short to be read twice
  */
 stolenMs: number | null;
 /**
  * median time the host took to answer an interrupt
  */
 answerMs: number | null;
 /**
  * inside native calls, as far as samples tell
  */
 nativeMs: number;
 /**
  * in code of loopwatch itself, as far as samples tell
  */
 ownMs?: number | undefined;
 /**
  * the watchdog did not run either
  */
 watchdogGapMs: number;
 /**
  * distinct ones seen in samples
  */
 requests: number;
 /**
  * an inspector was open, so nothing was sampled
  */
 debugger: boolean;
};
/**
 * A block as a span of a trace. Wall times, milliseconds since 1970.
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
/**
 * Metrics as plain JSON: what prom-client gives of a registry.
 */
export type Exemplar = {
 labelSet: Record<string, string>;
 value: number;
 timestamp: number;
};
/**
 * Metrics as plain JSON: what prom-client gives of a registry.
 */
export type Value = {
 labels: Record<string, string | number>;
 value: number;
 /**
  * where it is not the metric's own: name_bucket, name_sum, name_count
  */
 metricName?: string | undefined;
 exemplar?: Exemplar | null | undefined;
};
/**
 * Metrics as plain JSON: what prom-client gives of a registry.
 */
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
 * What a process is in a cluster of node:cluster, as its host knows it.
 */
export type Role = {
 kind: "single" | "primary" | "worker";
 primaryPid: number;
 tmpdir: string;
};
/**
 * A request of an HTTP/2 server that listens to `stream` alone (gRPC does): what such a stream has of a request.
 */
export type StreamRequest = {
 /**
  * 2
  */
 httpVersionMajor: number;
 method: string | undefined;
 url: string | undefined;
 headers: import("node:http2").IncomingHttpHeaders;
 rawHeaders: string[];
 stream: import("node:http2").ServerHttp2Stream;
};
/**
 * A request of an HTTP/2 server that listens to `stream` alone (gRPC does): what such a stream has of a request.
 */
export type HttpRequest = import("node:http").IncomingMessage | import("node:http2").Http2ServerRequest | StreamRequest;
/**
 * how late timers came, milliseconds; 0 while nothing has been measured
 */
export type DelayQuantiles = {
 p50: number;
 p99: number;
 max: number;
};
/**
 * A request of an HTTP/2 server that listens to `stream` alone (gRPC does): what such a stream has of a request.
 */
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
  * with what is due at this moment; its utilization is of the last half to whole
  * second
  */
 lastSecond: LoadOfTime;
 /**
  * since the agent started, delays to 1 %
  */
 sinceStart: LoadOfTime;
};
/**
 * What the watchdog has called on the host by way of the inspector.
 */
export type ProfilerAction = "start" | "startIfSmall" | "take" | "stay" | "stop";
