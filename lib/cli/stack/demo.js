'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { Tool } = require('../common/tool')

const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/**
 * Starts the demo shop.
 * @returns {{ tool: Tool, url: Promise<string> }} url of its agent's endpoint
 */
exports.startDemo = () => {
  if (!fs.existsSync(START)) throw codedError('LOOPWATCH_ERR_DEMO', START)
  /** @type {(url: string) => void} */
  let found
  const url = new Promise((resolve) => { found = resolve })
  let rest = ''
  const tool = new Tool('the demo', process.execPath, [START], {
    onOutput: (text) => {
      const lines = (rest + text).split('\n')
      rest = /** @type {string} */ (lines.pop())
      for (const line of lines) {
        const { name, event, url } = parse(line)
        if (name === 'loopwatch' && event === 'listening') found(url)
      }
    }
  })
  return { tool, url }
}

/** @param {string} line @returns {any} */
function parse (line) {
  try {
    return JSON.parse(line)
  } catch {
    return {}
  }
}
