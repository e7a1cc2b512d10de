'use strict'

const { duration } = require('../../util/sentence')
const { inMarkdown, markdownTable } = require('../common/markdown')

/**
 * A diagnosis for a ticket.
 * @param {object} found
 * @param {string} found.command
 * @param {string[]} found.told what it says, a sentence each
 * @param {import('./judge').Site[]} found.sites
 * @param {import('./latency').Latency[]} found.latencies
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
