'use strict'

const { topTable } = require('../../lib/cli/blocks/top')

const TIMEOUT_MS = 3000

/** The blocks that an agent has seen so far, or why they are not known. @param {string} url of its endpoint */
exports.report = async (url) => {
  try {
    const response = await fetch(`${url}/blocks`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return topTable(/** @type {any[]} */ (await response.json()))
  } catch (error) {
    return `no summary: ${url} did not respond: ${error.message}\n`
  }
}
