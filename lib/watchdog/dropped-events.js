'use strict'

/**
 * What was not kept since the last call, by the reason in `events_dropped_total`.
 * @param {object} parts
 * @param {import('../export/log/log').BlockLog | null} parts.log
 * @param {import('../bridge/memory').Bridge} parts.bridge
 * @param {import('./workers/workers').WorkerThreads | null} parts.threads
 * @param {import('./workers/sinks').ThreadReports} parts.threadReports
 * @param {import('../store/block-file').BlockFile | null} parts.file
 * @param {import('../cluster/cluster').Cluster} parts.cluster
 * @returns {Record<string, number>}
 */
exports.takeLosses = ({ log, bridge, threads, threadReports, file, cluster }) => ({
  ...log?.takeLosses(),
  request: bridge.requests.takeDropped() + bridge.counters.take('badRequest'),
  late_beat: bridge.lateBeats.takeDropped() + (threads?.takeDropped() ?? 0),
  gc_pause: bridge.gcPauses.takeDropped(),
  record: file?.takeLost() ?? 0,
  thread_record: threadReports.takeUnfiled(),
  cluster_record: cluster.takeLost()
})
