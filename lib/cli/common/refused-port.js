'use strict'

/**
 * Why fetch() has asked nobody: it has the browsers' list of ports that belong to other protocols, as 6000
 * and 10080 do, on which an agent may listen. Null where something else is the reason.
 * @param {any} error of fetch()
 * @param {string} url
 * @returns {string | null}
 */
exports.refusedPort = (error, url) => error.cause?.message === 'bad port' ? `fetch() refuses port ${new URL(url).port}, as browsers do: give the agent another one` : null
