'use strict'

const test = require('node:test')
const assert = require('node:assert/strict')
const { reminderOf } = require('../../../scenarios/known/advisories')

/** @param {Partial<import('../../../scenarios/known/advisories').Advisory>} [differences] */
const makeAdvisory = (differences = {}) => ({
  ghsa_id: 'GHSA-aaaa-bbbb-cccc',
  cve_id: 'CVE-2027-1',
  html_url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  summary: 'slow [x](y) is slow',
  cwes: [{ cwe_id: 'CWE-1333' }],
  vulnerabilities: [{ package: { name: 'slow' }, vulnerable_version_range: '< 2.0.0', first_patched_version: '2.0.0' }],
  ...differences
})

test('a reminder lists advisories about time that have no row', () => {
  const link = 'https://example.org'
  assert.equal(reminderOf([makeAdvisory()], []),
    '- [CVE-2027-1](https://github.com/advisories/GHSA-aaaa-bbbb-cccc): slow  x (y) is slow (slow < 2.0.0, fixed in 2.0.0)\n')
  assert.equal(reminderOf([makeAdvisory({ cwes: [{ cwe_id: 'CWE-79' }] })], []), '', 'another weakness')
  assert.equal(reminderOf([makeAdvisory()], [{ id: 'CVE-2027-1', link }]), '')
  assert.equal(reminderOf([makeAdvisory({ cve_id: null })], [{ id: 'x', link: `${link}/GHSA-aaaa-bbbb-cccc` }]), '')
})
