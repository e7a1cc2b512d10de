'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { startApp } = require('../support/app')

test('the live page is served with all that it needs, and under a strict policy', async (t) => {
  const app = await startApp(t)
  const page = await app.watchdog('/', { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  const html = await page.text()
  const parts = [...html.matchAll(/(?:src|href)="(\/?page\.\w+)"/g)].map(([, file]) => file)
  assert.ok(parts.length >= 2, html.slice(0, 500))
  for (const part of parts) assert.equal((await fetch(new URL(part, app.url))).status, 200, part)
})
