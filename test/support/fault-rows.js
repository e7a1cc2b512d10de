'use strict'

/**
 * Every fault that is tried: what is done, what the watched process sees of it, what is lost.
 * `test` is the name of its test, or the end of several names.
 * @typedef {{ fault: string, host: string, lost: string, file: string, test: string, within?: string }} Row
 * @type {{ part: string, rows: Row[] }[]}
 */
exports.parts = [
  {
    part: 'Options and life',
    rows: [
      { fault: 'options of every wrong type and range, NaN', host: '`start()` throws a coded error with option, expectation and value', lost: 'nothing was started', file: 'unit/options/options', test: 'every wrong value of every option throws a coded error that names option, expectation and value' },
      { fault: 'an unknown option', host: 'the same, with the nearest name', lost: 'nothing was started', file: 'unit/options/options', test: 'an unknown option throws with the nearest name' },
      { fault: 'a mistyped or wrong environment variable', host: 'one warning', lost: 'that setting; for a wrong value under `-r`, the watching', file: 'agent/register', test: 'a wrong environment variable is reported once, and the application runs unwatched' },
      { fault: 'a tool under the preload, whose stdout is parsed', host: 'its stdout as without the agent; the log is on stderr', lost: 'nothing', file: 'agent/register', test: 'the log of a preload is on stderr, so what a tool prints on stdout is still what its reader parses' },
      { fault: 'tools under the preload that block: eslint, tsc, Yarn, `node -e`', host: 'nothing: no port, no output', lost: 'their blocks', file: 'agent/quiet', test: 'tools print nothing and open nothing, however often they block' },
      { fault: 'launchers under the preload that start an application again and again', host: 'the application has the port', lost: 'nothing', file: 'agent/quiet', test: 'a launcher leaves the port to its application, also when it starts it again' },
      { fault: '`start()` twice, with other options', host: 'the same agent; one warning', lost: 'nothing', file: 'agent/agent', test: 'a second start() with other options logs once that they are ignored' },
      { fault: 'two copies of the package', host: 'one agent', lost: 'nothing', file: 'agent/agent', test: 'two copies of the package make one agent' },
      { fault: '`start()` in a worker thread', host: 'an agent that says nothing', lost: 'nothing', file: 'agent/agent', test: 'start() in a worker thread watches nothing and harms nothing' },
      { fault: '`stop()` during a block', host: 'it resolves', lost: 'nothing', file: 'agent/agent', test: 'stop() during a block resolves, and the block is recorded' },
      { fault: '`process.exit()` in mid-block', host: 'its exit code, no output beyond the log, up to 250 ms later', lost: 'nothing', file: 'agent/agent', test: 'process.exit() in mid-block keeps its code and says nothing more' },
      { fault: 'an uncaught throw in mid-block', host: 'what it prints without the agent, up to 250 ms later', lost: 'nothing', file: 'agent/agent', test: 'an uncaught throw in mid-block prints what it prints without the agent' },
      { fault: 'a process that should end', host: 'it ends', lost: 'nothing', file: 'agent/agent', test: 'a process that should end ends: having an agent keeps nothing alive' },
      { fault: 'built-ins replaced, properties forbidden', host: 'nothing', lost: 'nothing', file: 'agent/faults', test: 'an application that replaces built-ins and forbids property tampering is still understood' },
      { fault: 'a frozen `Error`', host: 'nothing', lost: 'stacks; lines come from the profile', file: 'agent/faults', test: 'a frozen Error takes the frames, not the rest of what is known' },
      { fault: 'properties of `Error` that cannot be redefined', host: 'nothing', lost: 'nothing', file: 'agent/faults', test: 'frames are found where properties of Error cannot be defined anew, or every object has a `get`, and all is left as it was' },
      { fault: 'a `get` on every object', host: 'nothing', lost: 'nothing; on Node.js 20 the quantiles since the start in `agent.load()`', file: 'agent/globals', test: 'start() throws nothing at an application that adds a `get` to what every object has' },
      { fault: 'a browser\'s `process` in place of its own', host: 'nothing', lost: 'nothing', file: 'agent/globals', test: 'an application that puts a browser\'s `process` in place of its own has its lines' },
      { fault: 'timers replaced by a test suite', host: 'nothing', lost: 'nothing', file: 'agent/faults', test: 'timers that a test suite replaces after start() do not stop the heartbeat' },
      { fault: 'more than sixty states of globals, descriptors and folders before, after and during', host: 'output and exit code as without the agent; one warning where something is missing', lost: 'what needs the built-in that was replaced; all watching where nothing is left', file: 'agent/start-states', test: 'whatever was done to the globals, a program with the agent prints and ends as it does without' },
      { fault: 'fake timers installed before it', host: 'one warning', lost: 'all watching', file: 'agent/start-states', test: 'with fake timers installed before start(), the agent watches nothing and warns once' },
      { fault: 'fake timers installed after it, with their clocks', host: 'nothing', lost: 'nothing', file: 'agent/start-states', test: 'fake timers installed after start(), with hrtime and performance, leave blocks their length and line' },
      { fault: 'another `process.hrtime` before it', host: 'nothing', lost: 'nothing', file: 'agent/start-states', test: 'a clock of hrtime alone that is replaced before it: blocks have their length and line' },
      { fault: 'globals that cannot be extended', host: 'nothing', lost: 'nothing', file: 'agent/globals', test: 'an application that lets nobody add to its globals has lines' },
      { fault: 'globals that are frozen, with their prototype, before or after it', host: 'output and exit code as without the agent', lost: 'lines and requests', file: 'agent/globals', test: 'an application that locks its globals and their prototype has durations, and the log says what is missing' },
      { fault: 'a test runner that fails on leaked globals (lab)', host: 'nothing', lost: 'nothing', file: 'agent/globals', test: 'a test runner that searches for leaked globals finds none' },
      { fault: 'source code read from a pipe', host: 'nothing', lost: 'nothing', file: 'agent/faults', test: 'a source that is a pipe is not read: the watchdog answers and the process ends' }
    ]
  },
  {
    part: 'The watchdog',
    rows: [
      { fault: 'an endless number of files compiled in memory', host: 'nothing', lost: 'what was known about the oldest', file: 'unit/explain/source/source-map', test: 'memory does not grow with the number of files that were compiled in memory' },
      { fault: 'its thread is ended', host: 'one warning', lost: 'blocks while it is missing, counted as missed; counters start again', file: 'agent/faults', test: 'the watchdog thread ends: it is started again, and blocks of the time without it are counted as missed' },
      { fault: 'its thread is ended during a block', host: 'nothing', lost: 'what was known about that block', file: 'agent/faults', test: 'a host stuck while the watchdog ends does not crash, and has a watchdog again afterwards' },
      { fault: 'out of memory as it starts', host: 'one warning', lost: 'the time until the next start', file: 'agent/faults', test: 'the watchdog runs out of memory: the application does not, and a new watchdog is started' },
      { fault: 'out of memory after it has worked', host: 'one warning; the loop keeps running', lost: 'memory of blocks and counters; `dir` keeps its records', file: 'agent/fault-runs', test: 'a watchdog that runs out of memory after it has worked: the application goes on, a warning says so, and the next one watches' },
      { fault: 'it cannot answer a question', host: 'the fallback value', lost: 'that answer', file: 'unit/host/faults', test: 'a question that the watchdog cannot answer gets the fallback and ends nothing' },
      { fault: 'limits of address space (`ulimit -v`) that leave too little for a thread', host: 'one warning', lost: 'all watching, until there is room', file: 'agent/limits', test: 'of address space above what Node.js takes: an application with the agent runs on' },
      { fault: 'limits of threads (`ulimit -u`, the pids limit of a container) that leave too few', host: 'one warning', lost: 'all watching, until there is room', file: 'agent/limits', test: 'threads above what Node.js starts: an application with the agent runs on' },
      { fault: 'its thread cannot be constructed', host: 'one warning', lost: 'all watching', file: 'agent/faults', test: 'a watchdog thread that cannot be constructed: one warning, and the application runs on' },
      { fault: 'no permission to start threads', host: 'one warning', lost: 'all watching', file: 'agent/faults', test: 'without permission to start threads the application runs, and one warning says so' },
      { fault: 'no permission to use the inspector', host: 'nothing; the log says so once', lost: 'requests; before Node.js 26 lines', file: 'agent/faults', test: 'without permission to use the inspector durations remain, and the log says what is missing' },
      { fault: '`--experimental-network-inspection`', host: 'events of its network as without the agent; the log says so once', lost: 'requests; before Node.js 26 lines', file: 'agent/faults', test: 'with --experimental-network-inspection a session of the application\'s own hears of every request, and durations remain' },
      { fault: 'an inspector port is open', host: 'nothing', lost: 'nothing; before Node.js 26 the profile', file: 'agent/debugger', test: 'a block has line, request and cause while an inspector port is open and nobody is connected' },
      { fault: 'a debugger is connected', host: 'nothing; it does not stop in the agent', lost: 'the same', file: 'agent/debugger', test: 'a block has line, request and cause while a debugger is connected that does not pause' },
      { fault: 'a debugger pauses the thread', host: 'nothing', lost: 'nothing: a pause is not a block', file: 'agent/debugger', test: 'a pause at a breakpoint and steps from there leave no block behind' },
      { fault: 'Node.js where a hook could end the application (CVE-2025-59466)', host: 'nothing; the log says so once', lost: 'origins, and the requests of blocks', file: 'agent/origin', test: 'on such a version the log says so once, and the application goes on' },
      { fault: 'explain throws on a block', host: 'nothing; logged once', lost: 'cause, line and request of that block', file: 'unit/watchdog/loop/monitor', test: 'a block that cannot be explained at all has its duration and the cause unknown, and that is reported' },
      { fault: 'the watchdog is busy for over a second', host: 'nothing; logged once', lost: 'nothing; blocks are logged late', file: 'unit/watchdog/housekeeping', test: 'a watchdog that was busy for over a second is degraded for a minute' },
      { fault: 'source files with 256 kB of blanks, quotes, brackets or one long line', host: 'nothing', lost: 'nothing', file: 'unit/explain/linear', test: ': the time is in proportion to the text, whatever it consists of' },
      { fault: 'a question is lost on its way', host: 'nothing', lost: 'samples for a second', file: 'agent/faults', test: 'a question that is lost on its way costs a second of samples, not those of the whole block' },
      { fault: 'source maps of millions of characters', host: 'nothing', lost: 'original places in the first line of a block; up to 0.2 s of samples, once per map', file: 'unit/watchdog/source/source-reader', test: 'a block is reported before the large map of its file is read, and everything later has the places of the map' },
      { fault: 'a source map larger than the limit', host: 'nothing; logged once', lost: 'original places of that file', file: 'unit/watchdog/source/source-reader', test: 'a source map that is too large is logged once' },
      { fault: 'a report of a worker thread arrives after its end', host: 'nothing', lost: 'nothing', file: 'unit/watchdog/threads/threads', test: 'a thread that is announced only after its end is not watched' },
      { fault: 'a script of node:vm ends at its timeout while it is watched', host: 'its timeout, as without the agent', lost: 'samples of that block', file: 'agent/script-timeouts', test: 'scripts of node:vm end at their timeout' },
      { fault: 'a million awaits while origins are tracked', host: '0.1 to 0.3 s, once', lost: 'origins until the hook is on again', file: 'agent/origin', test: ': a turn of a million awaits is not held up, and the tracking goes on in later ones' },
      { fault: 'millions of awaits while requests are followed (Node.js 20 and 22)', host: 'some 30 ms, once', lost: 'requests of blocks for an hour; logged', file: 'agent/following-cost', test: 'a handler of many awaits is not slowed down for good by following its request' },
      { fault: "a process that is PID 1 is stuck, with `onStuck: 'abort'`", host: 'it ends', lost: 'nothing', file: 'agent/endless', test: 'so it does as PID 1, to which signals from within mean nothing' },
      { fault: 'worker threads with another version of the package', host: 'nothing; logged once for each', lost: 'what those threads report', file: 'agent/threads', test: 'worker threads with another version of the package are not watched and logged once, and the watching goes on' },
      { fault: 'a part of the agent throws on a block', host: 'nothing; logged once', lost: 'that block for that part, counted', file: 'unit/watchdog/sinks', test: 'a sink that throws does not keep others from hearing, is logged once and counted each time' },
      { fault: 'a worker waits for a debugger, and the process is to exit', host: 'nothing', lost: 'nothing', file: 'agent/threads', test: 'a worker that waits for a debugger does not keep process.exit() from ending' },
      { fault: 'the same, and the worker is to be terminated', host: 'nothing', lost: 'nothing', file: 'agent/threads', test: 'a worker that waits for a debugger does not keep worker.terminate() from ending' },
      { fault: 'worker threads end while they are watched', host: 'nothing', lost: 'nothing', file: 'agent/threads.alone', test: 'worker threads end in all ways while they are watched: nothing aborts' },
      { fault: 'the main thread is blocked, which looks at worker threads', host: 'nothing', lost: 'reports of their blocks until it looks again', file: 'agent/threads.alone', test: 'a main thread that is blocked makes no blocks of its workers, and theirs are known when it is not any more' },
      { fault: 'more worker threads than the agent watches', host: 'nothing; logged once', lost: 'those beyond the limit, until other threads end', file: 'unit/host/threads/outside-watch', test: 'threads beyond the 64 that are watched are reported once, and the next of them is watched when one ends' }
    ]
  },
  {
    part: 'Machine, clock and load',
    rows: [
      { fault: 'an endless loop, then `kill -9`', host: 'as without the agent', lost: 'at most the last second of the record in `dir`', file: 'agent/endless', test: 'a block that never ends: the log goes on, the endpoint answers, the gauge grows' },
      { fault: '`kill -9` in mid-block, the last line cut short or padded as by a power cut', host: 'as without the agent', lost: 'the line that was cut', file: 'agent/fault-runs', test: 'killed in mid-block, its file cut short or padded by a power cut: every record but the cut one is read' },
      { fault: 'the wall clock set forward and back by hours', host: 'nothing', lost: 'nothing', file: 'agent/fault-runs', test: 'the wall clock is set forward and back, between blocks and within them: durations are true, counters only grow' },
      { fault: '10,000 blocks per minute', host: 'nothing', lost: 'log lines; their number is logged', file: 'agent/fault-runs', test: 'ten thousand blocks per minute are each counted and written; the log shows a few and the number of the rest' },
      { fault: 'SIGSTOP and SIGCONT', host: 'as without the agent', lost: 'nothing; no code is blamed', file: 'agent/blameless.alone', test: 'a process stopped and continued was suspended, whether it was idle or busy' },
      { fault: 'the same with `stuck` and `abort`', host: 'it is not aborted', lost: 'nothing', file: 'agent/faults', test: 'stuck does not count the time in which the whole process was stopped' },
      { fault: 'other processes take all the CPU', host: 'as without the agent', lost: 'nothing; no code is blamed', file: 'agent/blameless.alone', test: 'a process that gets no CPU because others take it all is not blamed' }
    ]
  },
  {
    part: 'Disk and log',
    rows: [
      { fault: 'a full record file that cannot be rotated', host: 'nothing; logged once', lost: 'nothing, except the limit of its size', file: 'unit/store/block-file', test: 'a record whose file cannot become the older generation is on disk all the same, and not counted as lost' },
      { fault: '`dir` is a file', host: 'nothing; logged once', lost: 'records, counted', file: 'agent/faults', test: 'a dir that cannot be written is logged once and counted, and the rest works' },
      { fault: '`dir` is deleted under a running application', host: 'nothing', lost: 'up to five seconds of records, counted', file: 'unit/store/block-file', test: 'where the folder, or the file in it, is deleted or replaced, it is made again within five seconds, and what went with it is counted' },
      { fault: 'the log file is moved or deleted under a running application', host: 'nothing', lost: 'up to five seconds of lines if it was deleted, counted', file: 'unit/export/log/destination', test: 'a file that is moved or deleted is begun anew within five seconds, and lines that went with it are counted' },
      { fault: 'the disk fills up under a running application', host: 'nothing; logged once', lost: 'records until there is room, counted', file: 'agent/fault-runs', test: 'a disk that is full under a running application is logged once and counted, and written again once there is room' },
      { fault: 'the disk fills up in the middle of a record', host: 'nothing', lost: 'that record and those until there is room, counted; no file stays open', file: 'agent/store', test: 'a disk that fills up in the middle of a record loses no other, leaks nothing, and is written again once there is room' },
      { fault: 'a disk that was full all along', host: 'nothing', lost: 'records, counted', file: 'unit/store/block-file', test: 'on a full disk nothing throws, the state says so, and no file stays open' },
      { fault: 'a link to a device, or a file of 200 MB, among the records', host: '-', lost: 'that file, named by `loopwatch blocks`', file: 'unit/store/block-reader', test: 'a file that is not regular, or larger than a file of records can be, is skipped with the reason' },
      { fault: 'a working directory that is changed', host: 'nothing', lost: 'nothing', file: 'unit/options/options', test: 'paths of files stay where they are when the application changes its working directory' },
      { fault: 'a folder shared by processes that cannot see each other', host: 'nothing', lost: 'nothing of running processes', file: 'unit/store/retention', test: 'files that were touched just now stay, with their older generation: their processes may be in containers that cannot be seen from here' },
      { fault: 'invalid lines in a record file', host: '-', lost: 'those lines, counted by `loopwatch blocks`', file: 'unit/store/block-file', test: 'a line that is not a record is skipped and counted, and none can control the terminal' },
      { fault: 'the log file cannot be opened', host: 'a process warning, once', lost: 'log lines, counted', file: 'agent/faults', test: 'a log file that cannot be written causes one process warning' },
      { fault: 'a named pipe as the log, whose reader restarts', host: 'nothing', lost: 'five seconds of lines, counted', file: 'agent/log-destination', test: 'a named pipe whose reader has gone is opened again after five seconds' },
      { fault: 'the disk of the log is full', host: 'nothing', lost: 'log lines, counted', file: 'agent/log-destination', test: 'a log on a full disk goes on once there is room, and says so' },
      { fault: 'stdout closed by its reader', host: 'nothing', lost: 'log lines, counted', file: 'agent/faults', test: 'stdout closed by its reader: the application lives, the loss is counted' },
      { fault: 'the disk of `dir`, or of the log file, hangs', host: 'nothing; logged once, for the log itself a process warning', lost: 'what does not fit into 4 MiB until it responds, counted', file: 'agent/hanging-disk', within: 'a disk that hangs', test: 'hangs, blocks are recorded, the endpoint answers at once, and the disk is reported' },
      { fault: 'a disk hangs while the process ends', host: '`stop()` resolves after a second; the process ends once the disk responds', lost: 'what the disk did not take', file: 'agent/hanging-disk', within: 'a disk that hangs', test: 'with a disk that hangs stop() comes back, and the process ends once the disk answers' },
      { fault: 'a disk that hung responds again', host: 'nothing', lost: 'what exceeded the limit, counted', file: 'agent/hanging-disk', within: 'a disk that hangs', test: 'a disk that answers again has what waited, and what was beyond the bound is counted' },
      { fault: 'a pipe whose reader is stopped', host: 'nothing', lost: 'lines beyond a limit, counted', file: 'agent/log-destination', test: 'whose reader stands still stops nothing: lines wait, a bounded number, and come when it reads' }
    ]
  },
  {
    part: 'The endpoint',
    rows: [
      { fault: 'every port taken', host: 'nothing; logged once', lost: 'the endpoint until a port is free', file: 'agent/faults', test: 'every port taken: the application goes on, the log says so once, and the port is tried again' },
      { fault: 'two processes with one port', host: 'nothing; the log says which port', lost: 'nothing', file: 'agent/cluster', test: 'two processes with one port: the second takes the next free one and says so; their blocks are joined' },
      { fault: 'malformed HTTP, huge headers', host: 'nothing', lost: 'those connections', file: 'agent/endpoint', within: 'the endpoint', test: 'survives malformed requests and huge headers' },
      { fault: '1,000 idle connections', host: 'nothing', lost: 'those connections', file: 'agent/endpoint', within: 'the endpoint', test: 'answers despite 1,000 idle connections, and keeps at most 100 of them' },
      { fault: '150 idle connections during a slow response', host: 'nothing', lost: 'some of those connections', file: 'unit/export/http/server', test: 'a crowd of connections that ask for nothing does not cut off an answer in progress' },
      { fault: 'a wrong Host', host: 'nothing', lost: 'that request (403)', file: 'agent/endpoint', within: 'the endpoint', test: 'answers only to Host names that cannot be rebound' },
      { fault: 'a wrong token', host: 'nothing', lost: 'that request (401)', file: 'agent/endpoint', within: 'the endpoint', test: 'asks for the token everywhere but at /healthz' },
      { fault: 'a probe whose `ms` is not a finite number', host: 'nothing', lost: 'that request (400)', file: 'agent/endpoint', test: '/healthz refuses an ms that is not a finite number, so no probe overlooks every block' },
      { fault: 'streams of the page that are not read', host: 'nothing', lost: 'those streams', file: 'unit/watchdog/page-feed/history', test: 'streams are bounded, and who does not read is let go' },
      { fault: 'a profile grouped by one label a thousand times', host: 'nothing', lost: 'that request (400)', file: 'agent/endpoint-memory', test: 'a label that is asked for again and again is refused, and costs nothing' },
      { fault: 'many clients that request profiles and read nothing', host: 'nothing', lost: 'requests beyond a limit (503)', file: 'agent/endpoint-memory', test: 'a crowd that wants profiles, flame graphs or all blocks at once, and reads nothing of it, takes little memory' }
    ]
  },
  {
    part: 'Requests and routes',
    rows: [
      { fault: 'two jobs of @nestjs/schedule call one function', host: 'nothing', lost: 'nothing; each has its name, and its row lists both', file: 'agent/work-libraries', test: 'two jobs of @nestjs/schedule that call one function are two works, and both are in the row of that function' },
      { fault: 'three blocks of one function in a named job', host: 'nothing, no warning of origin tracking', lost: 'nothing', file: 'unit/watchdog/origin/origin-trigger', test: 'blocks in a named job, message or request open none: they have a name already' },
      { fault: 'two jobs call one function', host: 'nothing', lost: 'nothing; its row lists both, and blocks without a job', file: 'unit/export/culprits', test: 'a function that two jobs call lists both, and that some of its blocks had no work' },
      { fault: 'names with characters that reverse text', host: 'nothing', lost: 'those characters', file: 'unit/util/sentence', test: 'a name that would turn a line around in a terminal is shown with its marks replaced' },
      { fault: 'a server is closed, and listens again', host: 'its listeners as without the agent', lost: 'nothing', file: 'unit/host/work/http/connections', test: 'a server that is closed has the listeners that it has without the agent, and is watched when it listens again' },
      { fault: 'an endless number of file names', host: 'nothing', lost: 'nothing', file: 'unit/host/compiled-files', test: 'ever new names of files do not fill the memory of the application' },
      { fault: 'routes with line ends, quotes, 10 kB, any script', host: 'nothing', lost: 'what exceeds the limit', file: 'agent/requests', test: 'the option route names requests; what it says is taken as it is, within bounds' },
      { fault: 'label values of that kind', host: 'nothing', lost: 'nothing', file: 'unit/export/prometheus/metrics', test: 'label values with line ends, quotes, backslashes and any script are escaped, constant ones too' },
      { fault: 'a function whose blocks have several lines, some in doubt', host: 'nothing', lost: 'the line in the label `site`', file: 'unit/export/prometheus/metrics', test: 'one function is one series, whatever its line and however certain that is' },
      { fault: 'functions without a name, for which V8 invents one', host: 'nothing', lost: 'nothing; their name is their source, or `(anonymous)`', file: 'unit/explain/record', test: 'what V8 calls a function without a name is in no message, stack or callback' },
      { fault: 'a million distinct paths', host: 'nothing', lost: 'nothing; beyond `routes` they are `(other)`', file: 'unit/host/work/http/many-routes', test: 'a million paths, no two of them alike, take no more memory than a thousand' },
      { fault: 'a `route` function that throws or returns an invalid value', host: 'nothing; logged once', lost: 'its names', file: 'agent/requests', test: 'a function for routes that throws or returns an invalid value costs its names and nothing else' },
      { fault: 'connections closed before their responses', host: 'as without the agent', lost: 'nothing; counted as aborted', file: 'agent/requests', test: 'a connection that is closed before its answers counts each of its requests as aborted, and nothing stays in flight' },
      { fault: 'sockets that `upgrade` and `connect` hand over', host: 'as without the agent', lost: 'nothing', file: 'agent/requests', test: 'a socket that upgrade or connect hands over has the listeners it has without the agent, and counts stay right' },
      { fault: 'a flood of requests that the watchdog cannot follow', host: 'nothing', lost: 'metrics of whole requests, counted', file: 'unit/bridge/memory', test: 'a flood that the reader cannot keep up with loses whole rows only, and counts every one' }
    ]
  },
  {
    part: 'Clusters',
    rows: [
      { fault: '64 workers killed and replaced (8 in `npm run test:all`)', host: 'as without the agent', lost: 'nothing', file: 'agent/fault-runs', test: 'workers of a cluster are killed and replaced one batch after the other: no block and no count is lost' },
      { fault: '64 watchdogs join and leave, and new ones replace them', host: '-', lost: 'nothing', file: 'unit/cluster/primary', test: '64 workers join, answer, leave, and others take their places' },
      { fault: 'a rolling restart under load, each worker leaving with `agent.stop()`', host: 'nothing', lost: 'nothing', file: 'agent/cluster', test: 'a rolling restart loses nothing: who leaves with agent.stop() has told its last request and block' },
      { fault: 'a worker is killed in mid-block', host: 'as without the agent', lost: 'at most its last second', file: 'agent/cluster', test: 'a worker that is killed and replaced goes on under its number, and nothing goes backwards' },
      { fault: 'a worker, the primary, or all are blocked during a scrape', host: 'nothing', lost: 'nothing', file: 'agent/cluster', test: 'a scrape answers while a worker is blocked, while the primary is, and while all are' },
      { fault: 'the watchdog of the primary is ended', host: 'one warning', lost: 'what earlier workers of a slot had counted', file: 'agent/cluster', test: 'when the watchdog of the primary has to start again, the workers join it again under their numbers' },
      { fault: 'the watchdog of a worker is ended', host: 'one warning', lost: 'nothing', file: 'agent/cluster', test: 'when the watchdog of a worker has to start again, nothing is counted twice' },
      { fault: 'no agent in the primary', host: 'nothing', lost: 'the common endpoint; each worker has its own', file: 'agent/cluster', test: 'workers without an agent in their primary listen themselves, on ports of their own' },
      { fault: 'garbage, 100 MB lines, HTTP, other versions on the socket', host: 'nothing; logged', lost: 'those connections', file: 'unit/cluster/primary', test: 'bytes that no worker would send end their connection and nothing else' },
      { fault: 'a block\'s record with any field wrong', host: 'nothing; logged', lost: 'that connection', file: 'unit/store/record', test: 'a record with any field wrong is refused, or shown and exported like any other' },
      { fault: 'a primary that accepts and says nothing', host: 'nothing', lost: 'the common endpoint; the worker has its own', file: 'unit/cluster/worker', test: 'a worker whose primary accepts and says nothing listens itself' },
      { fault: 'a socket file left by a dead process', host: 'nothing', lost: 'nothing', file: 'agent/cluster-primary', test: 'a socket file that a dead process has left is taken over' },
      { fault: 'a socket file deleted by a cleaner', host: 'nothing', lost: 'nothing', file: 'unit/cluster/listener', test: 'a socket file that a cleaner has deleted is made again' },
      { fault: 'a socket folder that others may enter', host: 'nothing; logged once', lost: 'the common endpoint; each worker has its own', file: 'agent/cluster', test: 'a folder that other users may enter is not used: this is logged once, and the workers listen themselves' }
    ]
  },
  {
    part: 'Seeing',
    rows: [
      { fault: 'dashboard variables with characters of regular expressions', host: '-', lost: 'nothing', file: 'release/dashboards', within: 'in a real Prometheus', test: 'values of variables stand for themselves, whatever characters they have' },
      { fault: 'an agent that restarts under an open page', host: '-', lost: 'the page says so until it is back', file: 'release/page', test: 'an agent that restarts is seen to go and to come back' },
      { fault: '500 blocks with stacks of 60 frames, one of five minutes', host: '-', lost: 'nothing', file: 'release/page', test: '500 blocks with stacks of 60 frames, the newest five minutes long, are listed and drawn' },
      { fault: 'functions and routes named as markup', host: '-', lost: 'nothing; they stay text', file: 'release/page', test: 'whatever is named as markup stays text' },
      { fault: 'the OTLP receiver is unreachable, slow or busy, or sends invalid data', host: 'nothing', lost: 'what does not fit the queue, counted', file: 'unit/export/otlp/exporter', test: 'an answer without end, a slow receiver and none at all cost no more than what does not fit the queue' }
    ]
  },
  {
    part: 'Scenarios',
    rows: [
      { fault: 'unknown scenario or variant, repeats 0, a report that cannot be written', host: '-', lost: 'nothing ran', file: 'scenarios/scenario', test: 'a scenario that cannot run is reported before anything runs' },
      { fault: 'cells that crash, hang or come to a wrong result', host: '-', lost: 'their figures; the other cells keep theirs', file: 'scenarios/scenario', test: 'cells that fail say why and keep their place, the others have figures' },
      { fault: 'Ctrl-C in mid-run', host: '-', lost: 'unfinished runs; no process is left', file: 'scenarios/scenario', test: 'Ctrl-C keeps what was finished and leaves no process behind' },
      { fault: 'the runner is ended or killed', host: '-', lost: 'the run; no process is left', file: 'scenarios/scenario', test: 'a harness that is ended in mid-cell, or killed, leaves no process behind' },
      { fault: 'a single core', host: '-', lost: 'nothing; marked oversubscribed', file: 'scenarios/scenario', test: 'on one core every pair is marked oversubscribed, and the ring does not spin' },
      { fault: 'a terminal of 40 columns, or none', host: '-', lost: 'nothing', file: 'unit/scenarios/parts', test: 'tables fit the terminal and never need more than 120 columns' },
      { fault: 'the database goes down in mid-run', host: '-', lost: 'that cell', file: 'scenarios/servers', test: 'a database that goes down in mid-run fails its cell, clearly, and the rest goes on with another' },
      { fault: 'a server dies in mid-run', host: '-', lost: 'that cell', file: 'scenarios/servers', test: 'a server that dies in mid-run fails its cell, clearly, and the rest goes on' },
      { fault: 'a wrong database, a taken port, wrong flags', host: '-', lost: 'nothing ran', file: 'scenarios/servers', test: 'what is missing or wrong is one line that says what to do' },
      { fault: 'too few file handles', host: '-', lost: 'nothing ran', file: 'scenarios/load', test: 'too few file handles, a port that is taken and a database that is not there say what to do' }
    ]
  },
  {
    part: 'Hooks called from Rust',
    rows: [
      { fault: 'a hook throws, rejects, never returns, or returns the wrong type', host: '-', lost: 'that call, with a code', file: 'scenarios/hook-calls', test: 'a hook that throws, rejects, never answers or returns the wrong type ends its call with a code' },
      { fault: 'a worker ends with a call in flight', host: '-', lost: 'that call, with a code', file: 'scenarios/hook-calls', test: 'a worker that ends with its call in flight ends the call; without workers none waits' },
      { fault: 'a thread in an endless loop', host: '-', lost: 'its calls, at their deadline', file: 'scenarios/hook-calls', test: 'a thread in an endless loop costs its own calls: the deadline ends them, terminate() the thread' },
      { fault: 'a pool is stopped while busy', host: '-', lost: 'calls in flight, with a code', file: 'scenarios/hook-calls', test: 'a pool that is stopped while busy ends every call and every thread' },
      { fault: 'the addon loaded twice', host: '-', lost: 'nothing', file: 'scenarios/hook-calls', test: 'two copies of the addon do not take each other\'s pools' }
    ]
  },
  {
    part: 'Profiles and attach',
    rows: [
      { fault: 'a message of 30 MB for `loopwatch mcp`', host: '-', lost: 'the connection; stderr says why', file: 'tools/mcp', test: 'a message that is too long ends the server with one line' },
      { fault: '`LOOPWATCH_ONLY` names another program', host: 'nothing', lost: 'its blocks; `doctor` names the variable', file: 'tools/doctor-command', test: 'a process that LOOPWATCH_ONLY excludes is reported with that variable' },
      { fault: 'the application profiles itself in addition to the agent, by an inspector session, @datadog/pprof or v8.startCpuProfile()', host: 'its own profile, as without the agent', lost: 'nothing', file: 'agent/profilers.alone', test: ' gets its profile, and blocks have their lines before, during and after it' },
      { fault: '--cpu-prof, coverage', host: 'as without the agent', lost: 'nothing; before Node.js 26 the profile: lines of native calls are in doubt', file: 'agent/profilers.alone', test: 'under --cpu-prof and while coverage is counted the agent takes no profile by the inspector, and Node.js prints nothing about one' },
      { fault: 'the same, begun before the agent', host: 'its own profile, as without the agent', lost: 'nothing', file: 'agent/profilers.alone', test: ' has its profile, and so have blocks their lines' },
      { fault: 'the profiler is refused: by the permission model, or an inspector port is open', host: 'nothing; the log says so once', lost: 'the profile; on Node.js 26 nothing', file: 'agent/profiling.alone', test: 'where the inspector is refused, or its port is open, a profile of the inspector is not taken, and the log says once that the agent is degraded' },
      { fault: 'reading the profile keeps the application for long', host: 'that once; the log says so', lost: 'the profile from then on', file: 'unit/watchdog/profile/profiling', test: 'a profile whose reading keeps the application for long is given up, for good, and the log says so' },
      { fault: 'the CPUs are taken, or the application is large', host: 'nothing: the profile does not start', lost: 'the profile: lines of native calls are in doubt', file: 'agent/profile-start.alone', test: 'on a machine whose CPUs are taken the profile does not start' },
      { fault: '`attach` to what is not a process, not Node.js, or handles SIGUSR1', host: 'nothing is sent to it, or it handles its signal', lost: 'nothing', file: 'tools/attach', test: 'a process that attach cannot use is left alone, and the error says why' },
      { fault: 'a process in a container, stopped, or with an open inspector', host: 'nothing is sent to it', lost: 'nothing', file: 'unit/cli/attach', test: 'the kernel\'s facts decide whether SIGUSR1 may be sent' },
      { fault: 'port 9229 taken by another', host: 'nothing is sent to it', lost: 'nothing', file: 'tools/attach', test: 'where another process has port 9229, nothing is sent to the one asked for' },
      { fault: '`attach` to an endless loop', host: 'its inspector opens and closes', lost: 'nothing', file: 'tools/attach', test: 'a process in an endless loop: --once prints its stack, and attach its block in progress' },
      { fault: '`attach` to a process in `execSync`', host: 'nothing is sent to it', lost: 'its stack; the child, its age and what it runs are printed', file: 'tools/attach', test: 'a process in execSync(): attach names the child, its age and what it runs, and sends nothing' },
      { fault: '`attach` to a process that waits for a FIFO', host: 'nothing is sent to it', lost: 'its stack; the file is printed', file: 'tools/attach', test: 'a process that waits for a FIFO: attach --once names the file, and sends nothing' },
      { fault: '`attach --once` to a stopped process', host: 'nothing is sent to it', lost: 'its stack', file: 'tools/attach', test: 'a stopped process: attach --once prints what the kernel says of it, and sends nothing' },
      { fault: '`attach --once` to a process that handles SIGUSR1 itself', host: 'it handles its signal', lost: 'its stack', file: 'tools/attach', test: 'a process that handles SIGUSR1 itself, idle or busy: attach --once prints what the kernel says, and that it handles the signal' },
      { fault: '`attach --once` to an idle process that waits', host: 'its inspector opens and closes; no code of it runs', lost: 'nothing', file: 'tools/attach-waits', test: 'nothing stays in a process whose requests were read' },
      { fault: '`attach --once` while the thread pool is full', host: 'its inspector opens and closes', lost: 'nothing', file: 'tools/attach', test: 'a full thread pool and a busy worker thread: attach --once counts and names them' },
      { fault: 'a tool that hangs, fails or reports nothing', host: '-', lost: 'the report; the exit code is not 0', file: 'tools/profile-command', test: 'a tool that hangs, one that fails, and a report of nothing are errors' },
      { fault: 'a target that reads stdin, ends at once, is ESM or TypeScript', host: 'as without the tool', lost: 'nothing', file: 'tools/profile-command', test: 'an application that reads its input, one that ends by itself, ES modules and TypeScript are profiled' },
      { fault: 'a cluster, no Node.js command, an output folder that is a file', host: 'it is not started, or ended at its first fork', lost: 'nothing', file: 'tools/profile-command', test: 'what cannot be profiled is refused with a code that says what to do instead' },
      { fault: 'Ctrl-C in a profiling run', host: 'it ends', lost: 'nothing; there is a report', file: 'tools/profile-command', test: 'Ctrl-C gives the report also of an application that ends by it at once, and nothing is overwritten' }
    ]
  }
]
