'use strict'

// New advisories for the packages of known.json that are about time, as Markdown: node scenarios/known/advisories.js
// A scheduled workflow runs it. It prints nothing if there are none.
const rows = require('../../lib/explain/advice/known.json')

/** A week, and a day for a run that starts late. */
const SINCE_MS = 8 * 24 * 60 * 60 * 1000
/** Uncontrolled consumption, recursion and loops, and inefficient algorithms and regular expressions. */
const WEAKNESSES = ['CWE-400', 'CWE-407', 'CWE-606', 'CWE-674', 'CWE-770', 'CWE-776', 'CWE-834', 'CWE-835', 'CWE-1333']

/**
 * @typedef {object} Advisory as GitHub describes it
 * @property {string} ghsa_id @property {string | null} cve_id @property {string} html_url @property {string} summary
 * @property {{ cwe_id: string }[]} cwes
 * @property {Affected[]} vulnerabilities
 * @typedef {object} Affected
 * @property {{ name: string }} package
 * @property {string} vulnerable_version_range @property {string | null} first_patched_version
 */

/** Those without a row. @param {Advisory[]} advisories @param {{ id: string, link: string }[]} table */
exports.reminderOf = (advisories, table) => advisories
  .filter(({ ghsa_id: ghsa, cve_id: cve, cwes }) => cwes.some(({ cwe_id: id }) => WEAKNESSES.includes(id)) &&
    !table.some(({ id, link }) => link.endsWith(ghsa) || id.includes(cve ?? ghsa)))
  .map(({ ghsa_id: ghsa, cve_id: cve, html_url: url, summary, vulnerabilities }) => {
    const affected = vulnerabilities.map((each) =>
      `${each.package.name} ${each.vulnerable_version_range}, fixed in ${each.first_patched_version ?? 'no version'}`)
    return `- [${cve ?? ghsa}](${url}): ${summary.replace(/[[\]<>@`]/g, ' ')} (${affected.join('; ')})\n`
  }).join('')

async function main () {
  const query = new URLSearchParams({
    ecosystem: 'npm',
    type: 'reviewed',
    published: `>=${new Date(Date.now() - SINCE_MS).toISOString().slice(0, 10)}`,
    affects: [...new Set(rows.map(({ package: name }) => name))].join(','),
    per_page: '100'
  })
  const response = await fetch(`https://api.github.com/advisories?${query}`, {
    headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${process.env.GH_TOKEN}` }
  })
  if (!response.ok) throw new Error(`the advisory database answered ${response.status}: ${await response.text()}`)
  process.stdout.write(exports.reminderOf(/** @type {any} */ (await response.json()), rows))
}

if (require.main === module) main()
