/** Labels of the parts of a block's time, in the order in which they are shown. @type {Record<string, string>} */
export const PARTS = {
  js: 'JavaScript',
  native: 'native calls',
  gc: 'garbage collector',
  queue: 'waiting for a CPU',
  throttled: 'out of CPU quota',
  stolen: 'taken by the hypervisor',
  asleep: 'asleep in a call'
}

/**
 * The time of a block in parts that add up to the whole. The figures of the evidence overlap: a thread that is out of
 * quota waits for a CPU as well, and garbage collection runs on one. In the time that is left, the thread slept.
 * @param {{ durationMs: number, evidence: any }} record
 * @returns {{ part: string, label: string, ms: number }[]} empty if the CPU time is not known
 */
export function timePartsOf ({ durationMs, evidence }) {
  const { cpuMs, gcMs, nativeMs, runQueueMs, throttledMs, stolenMs } = evidence
  if (typeof cpuMs !== 'number') return []
  let leftMs = durationMs
  const take = (/** @type {number | null | undefined} */ ms) => {
    const taken = Math.min(Math.max(0, ms ?? 0), leftMs)
    leftMs -= taken
    return taken
  }
  const gc = take(Math.min(gcMs, cpuMs))
  const onCpu = take(cpuMs - gc)
  const throttled = take(throttledMs)
  const queue = take((runQueueMs ?? 0) - throttled)
  const stolen = take(stolenMs)
  const asleep = leftMs
  const native = Math.min(onCpu, Math.max(0, nativeMs - asleep))
  /** @type {Record<string, number>} */
  const all = { js: onCpu - native, native, gc, queue, throttled, stolen, asleep }
  return Object.entries(PARTS).map(([part, label]) => ({ part, label, ms: all[part] })).filter(({ ms }) => ms > 0)
}
