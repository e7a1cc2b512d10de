'use strict'

const { topTable } = require('../../lib/cli/blocks/top')

const TIMEOUT_MS = 3000

/** What the agents have seen so far, or why that cannot be told. @param {string[]} urls of their endpoints */
exports.report = async (urls) => {
  try {
    const answers = urls.map(async (url) => {
      const response = await fetch(`${url}/blocks`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      return /** @type {Promise<any[]>} */ (response.json())
    })
    return topTable((await Promise.all(answers)).flat())
  } catch (error) {
    return `no summary: ${urls.join(' or ')} gave no answer: ${error.message}\n`
  }
}
