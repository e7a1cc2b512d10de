'use strict'

/** @import { BlockRecord } from '../../types' */

/**
 * @typedef {{ since?: number, until?: number, cause?: string, route?: string, work?: string, file?: string,
 *   function?: string }} Asked since: blocks that ended after it, until: that began before it, both Unix time in ms;
 *   route, work, file, function: a part of the text
 */

/** @param {Asked} asked @returns {(record: BlockRecord) => boolean} */
exports.filterOf = (asked) => (record) => isWithin(record, asked) && isOf(record, asked)

/** @param {BlockRecord} record @param {Asked} asked */
const isWithin = ({ startedAt, durationMs }, { since = -Infinity, until = Infinity }) =>
  Date.parse(startedAt) + durationMs >= since && Date.parse(startedAt) <= until

/** @param {BlockRecord} record @param {Asked} asked */
function isOf ({ cause, frame, request, work }, asked) {
  const own = {
    route: request && `${request.method} ${request.route}`,
    work: work && `${work.kind} ${work.name}`,
    file: frame?.file,
    function: frame?.function
  }
  return (asked.cause === undefined || cause === asked.cause) && Object.entries(own).every(([name, text]) => {
    const part = asked[/** @type {keyof typeof own} */ (name)]
    return part === undefined || (text ?? '').includes(part)
  })
}
