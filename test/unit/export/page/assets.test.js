'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { gunzipSync } = require('node:zlib')
const { makePaths } = require('../../../../lib/export/http/paths')

const paths = makePaths(/** @type {any} */ ({}))

/** @param {Record<string, string>} [headers] @returns {any} */
const get = ({ acceptEncoding = '', etag = '' } = {}) => paths['/page.js'](/** @type {any} */ ({ acceptEncoding, etag }))

test('a client that accepts gzip gets the compressed file', () => {
  for (const acceptEncoding of ['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8']) {
    const { body, headers } = get({ acceptEncoding })
    assert.equal(headers['content-encoding'], 'gzip', acceptEncoding)
    assert.match(gunzipSync(body).toString(), /THIRD-PARTY\.txt/)
  }
})

test('a client that does not accept gzip gets the text', () => {
  for (const acceptEncoding of ['', 'br', 'gzip;q=0', 'identity']) {
    const { body, headers } = get({ acceptEncoding })
    assert.equal(headers['content-encoding'], undefined, acceptEncoding)
    assert.match(body.toString(), /THIRD-PARTY\.txt/)
  }
})

test('a copy of the page is valid however it was transferred', () => {
  const { headers } = get()
  for (const acceptEncoding of ['', 'gzip']) {
    const { status, body } = get({ acceptEncoding, etag: headers.etag })
    assert.deepEqual([status, body], [304, ''])
  }
  assert.match(headers.vary, /accept-encoding/)
})
