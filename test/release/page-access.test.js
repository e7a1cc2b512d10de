'use strict'

// Whether everybody can use the page: axe-core in both colours and three widths, the keyboard alone, and what is said
// aloud. Takes half a minute in a real Chromium.
const test = require('node:test')
const assert = require('node:assert/strict')
const { eventually } = require('../support/app')
const { startBrowser, openPage, deepStack, reads, violations } = require('../support/browser')
const { startPageAgent } = require('../support/page-agent')
const { causes } = require('../../lib/tables/causes')
const { makeRecord } = require('../support/record')

const known = { function: 'known', file: __filename, line: 5, column: 1, exact: false }
const times = { cpuMs: 300, gcMs: 90, runQueueMs: 200, throttledMs: 100, stolenMs: 50, nativeMs: 60 }
const evidence = { ...makeRecord().evidence, ...times }
const bugs = 'https://github.com/moment/moment/issues'

const otherCauses = /** @type {import('../../lib/tables/causes').Cause[]} */ (Object.keys(causes))
  .filter((cause) => !['js', 'native'].includes(cause))

/** @param {import('../../lib/types').BlockRecord} record */
const isBlamed = ({ cause, startup, threadId }) => causes[cause].excuse === undefined && !startup && threadId === 0

/** Blocks with everything that the page can show of one, newest first; the second has most. */
const RECORDS = [
  makeRecord({ id: '1-6', ongoing: true, durationMs: 4000 }),
  makeRecord({
    id: '1-5',
    cause: 'native',
    frame: known,
    durationMs: 900,
    evidence,
    stacks: [{ count: 3, weightMs: 900, frames: [known] }, ...deepStack(1)],
    package: { name: 'moment', version: '2.29.1', bugs },
    probable: { call: 'JSON.parse', line: 4 }
  }),
  ...otherCauses.map((cause, i) =>
    makeRecord({ id: `2-${9 - i}`, cause, durationMs: 80 + i })),
  makeRecord({ id: '1-2', thread: 'resize', threadId: 3 }),
  makeRecord({ id: '1-1', startup: true })
]

/**
 * The page's side of an agent with a block that made another request wait.
 * @param {import('node:test').TestContext} t
 */
async function startAgent (t) {
  const agent = await startPageAgent(t, [...RECORDS])
  agent.page.showThreads([{ name: 'resize', count: 4, utilization: 0.97 }])
  agent.page.recent.add({ startMs: 0, endMs: 900, workIds: [] }, '1-5')
  agent.page.recent.note({ startMs: 10, endMs: 950, id: 9, hasWaited: false, name: 'GET /victim' })
  return agent
}

/** The id of the panel that the focused row opens. @param {any} page */
const focusedRow = (page) => page.evaluate("document.activeElement.getAttribute('aria-controls')")

test('axe-core finds nothing, in both colours and three widths, with blocks and one of them opened', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { url } = await startAgent(t)
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1440, 1024, 390]) {
      await t.test(`${colorScheme}, ${width} px`, async () => {
        const viewport = { width, height: 900 }
        const options = { viewport, colorScheme, reducedMotion: 'reduce' }
        const { page, context, complaints } = await openPage(browser, `${url}#block=1-5&aside=1`, options)
        await reads(page, '#block-1-5 .source .blamed', /≈ 5/)
        await reads(page, '#victims-body', /GET \/victim/)
        await reads(page, '#threads-body', /^resize \(4\)97%report .*1\d+ ms$/)
        await page.click('#block-1-5 .raw > summary')
        await page.waitForSelector('#block-1-5 g.frame')
        await page.waitForSelector('#flame g.frame')
        await page.click('#pin')
        await page.keyboard.press('?')
        await page.locator('#culprits-body button').first().click()
        await page.locator('#search').fill('known')
        assert.deepEqual(await violations(page), [])
        await page.click('#reset')
        await reads(page, '#blocks-note', new RegExp(`^${RECORDS.filter(isBlamed).length} blocks, of ${RECORDS.length} in memory`))
        assert.equal(await page.locator('#block-1-5 .why').count(), 1)
        assert.deepEqual(await violations(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
        assert.deepEqual(complaints, [])
        await context.close()
      })
    }
  }
})

test('every key of the list of keys does what it says', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { url } = await startAgent(t)
  const { page, context, complaints } = await openPage(browser, `${url}#aside=1`)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await reads(page, '#blocks-note', new RegExp(`^${RECORDS.length} blocks`))
  const press = (/** @type {string} */ key) => page.keyboard.press(key)

  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await press('?')
  assert.ok(await page.locator('#help').isVisible())
  assert.ok(await page.evaluate('(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector(\'#help\').getBoundingClientRect())'), 'in view')
  assert.deepEqual(await page.locator('#help kbd').allTextContents(), ['/', 'j', 'k', 'Enter', 'c', '?', 'Esc'])
  await press('?')
  assert.ok(await page.locator('#help').isHidden())
  await press('?')
  await press('Escape')
  assert.ok(await page.locator('#help').isHidden())

  await press('j')
  assert.equal(await focusedRow(page), 'block-1-6')
  await press('j')
  assert.equal(await focusedRow(page), 'block-1-5')
  await press('j')
  assert.equal(await focusedRow(page), 'block-2-9')
  await press('k')
  assert.equal(await focusedRow(page), 'block-1-5')
  await press('Enter')
  await reads(page, '#block-1-5 .why', /known/)
  await press('c')
  const clipboard = () => page.evaluate('navigator.clipboard.readText()')
  const copied = await eventually(async () => (await clipboard()).startsWith('###') && clipboard(), 'Markdown to be copied')
  assert.match(copied, /^### Event loop blocked for 900 ms\n/)
  assert.match(copied, /≈ known/)
  assert.ok(copied.includes(`${url}#block=1-5`), copied)
  await press('Escape')
  await page.waitForFunction("document.querySelectorAll('#blocks [aria-expanded=\"true\"]').length === 0")

  await press('/')
  assert.equal(await page.evaluate('document.activeElement.id'), 'search')
  await page.keyboard.type('jk?')
  assert.equal(await page.locator('#search').inputValue(), 'jk?', 'typed, not obeyed')
  assert.ok(await page.locator('#help').isHidden())
  await press('Escape')
  await press('Control+j')
  assert.equal(await focusedRow(page), null, 'a key of the browser is left to it')
  assert.deepEqual(complaints, [])
})

test('a screen reader announces the status strip when the verdict changes, not each second', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const { url, records } = await startPageAgent(t, [makeRecord({ id: '1-1' })])
  const { page, complaints } = await openPage(browser, url)
  await reads(page, '#state-now', /^Running/)
  await page.evaluate(() => {
    const { document, MutationObserver } = /** @type {any} */ (globalThis)
    const announcer = document.getElementById('announcer')
    const said = /** @type {any} */ (globalThis).said = /** @type {string[]} */ ([])
    const changes = { childList: true, characterData: true, subtree: true }
    new MutationObserver(() => said.push(announcer.textContent)).observe(announcer, changes)
  })
  /** Blocks go on for three states, which come once a second. @param {any} differences @param {RegExp} pattern */
  const last = async (differences, pattern) => {
    for (const durationMs of [1000, 2000, 3000]) {
      records.splice(0, records.length - 1, makeRecord({ id: '1-2', ongoing: true, durationMs, ...differences }))
      await reads(page, '#state-now', new RegExp(`^Blocked for ${durationMs / 1000}\\.\\d s`))
    }
    const shown = await reads(page, '#state-now', pattern)
    const aloud = await reads(page, '#announcer', pattern)
    const bare = (/** @type {string} */ text) => text.replace(/for [\d.]+ m?s/, 'for a time')
    assert.equal(bare(aloud), bare(shown), 'the same words')
  }
  await last({ frame: null }, /^Blocked for .* in GET \/report\/:id; the line is not known yet\.$/)
  await last({}, /^Blocked for .* in GET \/report\/:id, report app\/report\.js:41\.$/)
  await last({ cause: 'starved' }, /^Blocked for .*: /)
  records.shift()
  await reads(page, '#announcer', /^Running again$/)
  const said = await page.evaluate('said')
  assert.equal(said.length, 4, said.join('\n'))
  assert.deepEqual(complaints, [])
})
