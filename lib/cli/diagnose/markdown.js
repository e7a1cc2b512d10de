'use strict'

const { duration } = require('../../util/sentence')
const { inMarkdown, markdownTable } = require('../common/markdown')

/**
 * @param {{ command: string, told: string[], sites: import('./judge').Site[], latencies:
 * import('./latency').Latency[] }} found told: a sentence each
 */
exports.diagnosisMarkdown = ({ command, told, sites, latencies }) => {
  const places = sites.map(({ place, routes, cause, count, blockedMs, longestMs }) =>
    [place, routes.join(', '), cause, `${count}`, duration(blockedMs), duration(longestMs)])
  const routes = latencies.map(({ route, requests, meanMs, waitedMs }) =>
    [route, `${requests}`, duration(meanMs), duration(waitedMs)])
  return [
    `## Diagnosis of ${inMarkdown(command)}\n`,
    `${told.map(inMarkdown).join('\n')}\n`,
    ...(places.length === 0 ? [] : [markdownTable(['place', 'work', 'cause', 'blocks', 'total', 'longest'], places, (i) => i > 2)]),
    ...(routes.length === 0 ? [] : [markdownTable(['route', 'requests', 'mean duration', 'of which waiting for others'], routes, (i) => i > 0)])
  ].join('\n')
}
