'use strict'

/** Dropped events, by the reason in `events_dropped_total`. A count follows the text. */
exports.notKept = {
  log_suppressed: 'log lines in a burst of blocks',
  log_line: 'log lines that could not be written',
  request: 'requests that outpaced the watchdog',
  work: 'jobs and messages that outpaced the watchdog',
  late_beat: 'delays of the loop',
  gc_pause: 'pauses of the garbage collector',
  record: 'lines of the files in dir',
  thread_record: 'lines for worker threads, beyond a burst of ten and one per second',
  cluster_record: 'records of workers that did not reach the primary',
  cluster_connection: 'connections to the primary that were not from a worker',
  missed_block: 'blocks while no watchdog ran, as at a start',
  notification: 'messages for the notify address',
  otlp_suppressed: 'OTLP log records in a burst of blocks',
  otlp_metrics: 'batches of metrics that did not reach the OTLP receiver',
  otlp_log: 'log records that did not reach the OTLP receiver',
  otlp_span: 'spans that did not reach the OTLP receiver',
  span: 'spans of blocks beyond 60 per minute',
  sink: 'events that a failed part of the agent missed'
}
