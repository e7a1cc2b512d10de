'use strict'

// `npm run pictures`: the pictures of the live page in README and docs, taken of the demo. Run it while nothing else
// runs: on a busy machine the demo's blocks are `starved`.
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { setTimeout: sleep } = require('node:timers/promises')
const { installFor } = require('../support/packages')

const ROOT = path.join(__dirname, '..', '..')
const IMAGES = path.join(ROOT, '.github', 'images')
/** For as long the demo blocks before the pictures: until each line has been seen more than once. */
const WARM_UP_MS = 45_000

/** Name, size and colours of each picture. */
const PICTURES = /** @type {const} */ ([
  { name: 'page-dark.png', width: 1280, height: 1000, colorScheme: 'dark' },
  { name: 'page-light.png', width: 1280, height: 1000, colorScheme: 'light' },
  { name: 'page-narrow.png', width: 390, height: 1100, colorScheme: 'light' }
])

/** @param {import('node:child_process').ChildProcess} demo @returns {Promise<string>} the address of the shop's page */
function pageOf (demo) {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (/** @type {Buffer} */ data) => {
      text += data
      // The log of the queue worker names a page as well.
      const [, url] = /^ {2}agent {3}live page: (http:\S+\/)$/m.exec(text) ?? []
      if (url !== undefined) resolve(url)
    }
    demo.stdout?.on('data', read)
    demo.stderr?.on('data', read)
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${text}`)))
  })
}

async function main () {
  installFor('test')
  const { chromium } = require('playwright-core')
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  if (executablePath === '') throw new Error('there is no chromium on the PATH: apt-get install chromium')
  const demo = spawn(process.execPath, [path.join(ROOT, 'scenarios', 'demo', 'start.js'), '--port', '0', '--worker-port', '0'])
  try {
    const url = await pageOf(demo)
    await sleep(WARM_UP_MS)
    const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
    for (const { name, width, height, colorScheme } of PICTURES) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB' })
      const page = await context.newPage()
      await page.goto(url)
      await page.locator('.now.blocked code').first().waitFor()
      fs.writeFileSync(path.join(IMAGES, name), await page.screenshot())
      await context.close()
    }
    await browser.close()
  } finally {
    demo.kill('SIGINT')
  }
}

main()
