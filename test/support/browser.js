'use strict'

const { spawnSync } = require('node:child_process')
const { chromium } = require('playwright-core')
const { needs } = require('./tools')

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

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
