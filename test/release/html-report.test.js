'use strict'

// The reports of `profile cpu` and of scenarios, one file each, opened from the disk in a real Chromium.
const test = require('node:test')
const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { htmlReport } = require('../../lib/cli/profile/html-report')
const { jsonLink } = require('../../scenarios/harness/report/report')
const { startBrowser, openPage, violations } = require('../support/browser')
const { makeDir } = require('../support/files')

const HOSTILE = '</script><script>document.title = "taken"</script><img src="http://127.0.0.1:9/" onerror="document.title = 1">'
const tree = { name: 'all', file: null, value: 20, children: [{ name: HOSTILE, file: '/srv/a.js', value: 20, children: [] }] }

test('a report draws its flame graph and offers its data under a policy that lets no other script run', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const file = path.join(makeDir(t), 'report.html')
  const foreign = '<script>globalThis.isTaken = true</script><p onclick="globalThis.isTaken = true" id="bait">text</p>'
  const tail = `${jsonLink('results.json', { figure: 7 })}${foreign}`
  fs.writeFileSync(file, htmlReport({ title: HOSTILE, summary: HOSTILE, tail, flameTitle: 'Time', tree }))
  const { page, complaints } = await openPage(browser, pathToFileURL(file).href)
  const frame = page.locator('#flame g.frame').nth(1)
  assert.equal(await frame.getAttribute('name'), HOSTILE)
  await page.locator('#bait').click()
  assert.equal(await page.evaluate('globalThis.isTaken'), undefined)
  assert.equal(await page.title(), HOSTILE)
  assert.equal(complaints.length, 2, complaints.join('\n'))
  for (const complaint of complaints) assert.match(complaint, /Content Security Policy/)
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Download the results').click()])
  assert.deepEqual(JSON.parse(fs.readFileSync(await download.path(), 'utf8')), { figure: 7 })
})

test('axe-core finds nothing in a report', async (t) => {
  const browser = await startBrowser(t)
  if (browser === null) return
  const file = path.join(makeDir(t), 'report.html')
  fs.writeFileSync(file, htmlReport({ title: 'CPU profile', summary: 'a run', flameTitle: 'Time', tree }))
  const { page } = await openPage(browser, pathToFileURL(file).href)
  await page.locator('#flame g.frame').first().waitFor()
  assert.deepEqual(await violations(page), [])
})
