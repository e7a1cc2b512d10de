'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { codedError } = require('../../tables/errors')
const { parsed } = require('../common/parsed')
const { Tool } = require('../common/tool')

const START = path.join(__dirname, '..', '..', '..', 'scenarios', 'demo', 'start.js')

/** Agents with an endpoint: the shop's and its queue worker's. */
const WATCHED = 2

/** @returns {{ tool: Tool, urls: Promise<string[]> }} urls of its agents' endpoints */
exports.startDemo = () => {
  if (!fs.existsSync(START)) throw codedError('LOOPWATCH_ERR_DEMO', START)
  /** @type {Set<string>} */
  const found = new Set()
  /** @type {(urls: string[]) => void} */
  let settle
  const urls = new Promise((resolve) => { settle = resolve })
  const tool = new Tool('the demo', process.execPath, [START], {
    onLine: (line) => {
      const { name, event, url } = parsed(line)
      if (name !== 'loopwatch' || event !== 'listening') return
      found.add(url)
      if (found.size === WATCHED) settle([...found])
    }
  })
  return { tool, urls }
}
