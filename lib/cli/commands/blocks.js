'use strict'

const { codedError } = require('../../errors')
const { describe } = require('../../export/describe')
const { readBlocks } = require('../../store/block-file')

/**
 * `loopwatch blocks <url|dir...>`: the recorded blocks of endpoints and folders, oldest first.
 * @param {import('commander').Command} program
 */
exports.addBlocks = (program) => {
  program.command('blocks')
    .description('list recorded blocks of running agents (by url) or of folders (option dir)')
    .argument('<sources...>', 'http://127.0.0.1:9464 or a folder')
    .option('--json', 'whole records, one JSON line each')
    .option('--token <token>', 'bearer token of the endpoints')
    .action(list)
}

/** @param {string[]} sources @param {{ json?: boolean, token?: string }} options */
async function list (sources, { json, token }) {
  const records = (await Promise.all(sources.map((source) => read(source, token)))).flat()
  records.sort((a, b) => a.startedAt < b.startedAt ? -1 : 1)
  for (const record of records) {
    process.stdout.write(json ? `${JSON.stringify(record)}\n` : `${record.startedAt} ${record.id} ${describe(record)}\n`)
  }
  if (records.length === 0 && !json) process.stderr.write('no blocks recorded\n')
}

/** @param {string} source @param {string} [token] @returns {Promise<import('../../store/record').BlockRecord[]>} */
async function read (source, token) {
  try {
    if (!/^https?:/.test(source)) {
      const { records, broken } = readBlocks(source)
      if (broken > 0) process.stderr.write(`${source}: passed over ${broken} broken lines\n`)
      return records
    }
    const response = await fetch(new URL('/blocks', source), { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
    if (!response.ok) throw new Error(`it answered ${response.status}`)
    return /** @type {any} */ (await response.json())
  } catch (error) {
    throw codedError('LOOPWATCH_ERR_SOURCE', source, error.cause?.message ?? error.message)
  }
}
