'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { Tool } = require('../common/tool')

const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/** Processes whose agents have an endpoint each: the shop and its queue worker. */
const WATCHED = 2

/** @returns {{ tool: Tool, urls: Promise<string[]> }} urls of its agents' endpoints */
exports.startDemo = () => {
  if (!fs.existsSync(START)) throw codedError('LOOPWATCH_ERR_DEMO', START)
  /** @type {Set<string>} */
  const found = new Set()
  /** @type {(urls: string[]) => void} */
  let settle
  const urls = new Promise((resolve) => { settle = resolve })
  let rest = ''
  const tool = new Tool('the demo', process.execPath, [START], {
    onOutput: (text) => {
      const lines = (rest + text).split('\n')
      rest = /** @type {string} */ (lines.pop())
      for (const line of lines) {
        const { name, event, url } = parse(line)
        if (name !== 'loopwatch' || event !== 'listening') continue
        found.add(url)
        if (found.size === WATCHED) settle([...found])
      }
    }
  })
  return { tool, urls }
}

/** @param {string} line @returns {any} */
function parse (line) {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}
