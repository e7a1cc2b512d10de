/* global __ENV */
// The work of the built-in driver, for k6.
import http from 'k6/http'

const { url, users, seconds, ratePerSecond, keepAlive, headers, expect } = JSON.parse(__ENV.LOAD_ORDER)
const isRight = http.expectedStatuses(200)

export const options = {
  scenarios: {
    load: ratePerSecond === undefined
      ? { executor: 'constant-vus', vus: users, duration: `${seconds}s`, gracefulStop: '120s' }
      : { executor: 'constant-arrival-rate', rate: ratePerSecond, timeUnit: '1s', duration: `${seconds}s`, preAllocatedVUs: users, maxVUs: users }
  },
  noConnectionReuse: !keepAlive,
  discardResponseBodies: expect.body === undefined,
  summaryTrendStats: ['avg', 'min', 'med', 'max', 'p(90)', 'p(95)', 'p(99)']
}

export default function () {
  const response = http.get(url, { headers, responseCallback: isRight })
  if (expect.body !== undefined && response.body !== expect.body) throw new Error(`wrong body ${response.body}`)
}

export function handleSummary (data) {
  return { stdout: `LOOPWATCH ${JSON.stringify({ metrics: data.metrics, durationMs: data.state.testRunDurationMs })}\n` }
}
