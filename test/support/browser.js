'use strict'

const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const { chromium } = require('playwright-core')
const { eventually } = require('./app')
const { needs } = require('./tools')

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * A real Chromium, ended with the test; null where there is none.
 * @param {import('node:test').TestContext} t
 */
exports.startBrowser = async (t) => {
  if (!needs(t, 'chromium')) return null
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim()
  const browser = await chromium.launch({
    executablePath,
    args: FLAGS,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false
  })
  t.after(() => browser.close())
  return browser
}

/**
 * The live page in a tab of its own, with everything the browser complained about.
 * @param {any} browser of playwright-core
 * @param {string} url
 * @param {object} [options] of its context
 */
exports.openPage = async (browser, url, options) => {
  const context = await browser.newContext({ locale: 'en-GB', ...options })
  const page = await context.newPage()
  /** @type {string[]} */
  const complaints = []
  page.on('pageerror', (/** @type {Error} */ error) => complaints.push(`${error.stack}`))
  page.on('console', (/** @type {any} */ message) => { if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`) })
  await page.goto(url)
  return { page, context, complaints }
}

/**
 * What axe-core finds, of every impact.
 * @param {any} page of playwright-core
 * @returns {Promise<string[]>}
 */
exports.violations = async (page) => {
  await page.evaluate(AXE)
  const found = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run())
  return found.violations
    .map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ { html }) => html).join(' ')}`)
}

/**
 * Waits until an element's text is as expected.
 * @param {any} page of playwright-core
 * @param {string} selector
 * @param {RegExp} pattern
 * @param {number} [deadlineMs]
 */
exports.reads = async (page, selector, pattern, deadlineMs) => {
  let text = ''
  await eventually(async () => pattern.test(text = (await page.locator(selector).allTextContents()).join(' | ')), () => `${selector} to read ${pattern}; it reads ${text}`, deadlineMs)
  return text
}

/**
 * Opens the newest block whose row has this text. Rows move as a block begins or ends, so a click may meet another.
 * @param {any} page of playwright-core
 * @param {string} text
 */
exports.openBlock = async (page, text) => {
  const button = page.locator('#blocks > li', { hasText: text }).locator('button').first()
  await eventually(async () => {
    if (await button.getAttribute('aria-expanded') === 'true') return true
    await button.click()
    return false
  }, () => `a block with ${text} to open`)
  // Under the pointer, the flame graph would not be redrawn.
  await page.mouse.move(0, 0)
}

/** The 60 frames of a stack, each function its own. @param {number} block */
exports.deepStack = (block) => [{
  count: 5,
  weightMs: 100,
  frames: Array.from({ length: 60 }, (_, i) => ({ function: `step${59 - i}`, file: `/srv/app/block-${block % 7}.js`, line: 60 - i, column: 3 }))
}]
