'use strict'

const { download, json, JSON_TYPE, refusal } = require('../http/server')
const { makePauses } = require('../pauses')
const { FlameTree } = require('./flame-tree')
const { chooseBy } = require('./query-filter')
const { LABELS, StackTable } = require('./stack-table')

/** @import { BlockRecord, Frame } from '../../types' */
/** @import { Reply } from '../http/server' */
/** @import { LabelName, TableStack } from './stack-table' */

/** Blocks of a profile between two polls of the loop: a few milliseconds of work. */
const RECORDS_AT_ONCE = 20
/** A flame graph takes longer for each block. */
const FLAMES_AT_ONCE = 5
/** Most profiles by cause and route in a file of speedscope. The first profile has everything, rarer ones too. */
const MOST_PROFILES = 50

/**
 * The writers of cpuprofile and pprof are loaded when needed. `ending`: of the file.
 * @type {Record<string, { type: string, ending: string, write: (table: StackTable, name: string) => string | Buffer }>}
 */
const formats = {
  cpuprofile: {
    type: JSON_TYPE,
    ending: 'cpuprofile',
    write: (table) => require('./cpu-profile').writeCpuProfile(table)
  },
  pprof: {
    type: 'application/octet-stream',
    ending: 'pb.gz',
    write: (table) => require('./pprof').writePprof(table)
  },
  speedscope: {
    type: JSON_TYPE,
    ending: 'speedscope.json',
    write: writeSpeedscope
  },
  folded: {
    type: 'text/plain; charset=utf-8',
    ending: 'folded.txt',
    write: writeFolded
  }
}

/**
 * Adds all blocks. The watchdog polls the loop in between.
 * @template {StackTable | FlameTree} T @param {T} profile @param {BlockRecord[]} records newest first
 * @param {number} atOnce blocks between two polls
 */
async function fill (profile, records, atOnce) {
  const pauseAfter = makePauses(atOnce)
  for (const record of records) {
    profile.add(record)
    await pauseAfter(1)
  }
  return profile
}

/** @param {BlockRecord[]} records newest first */
const flameOf = (records) => fill(new FlameTree(), records, FLAMES_AT_ONCE)

/** @param {BlockRecord[]} records newest first @param {LabelName[]} [group] */
const collect = (records, group) => fill(new StackTable(group), records, RECORDS_AT_ONCE)

/**
 * `/flame`: blocks in memory as one tree.
 * @param {BlockRecord[]} records newest first @param {URLSearchParams} query query-filter.js @returns {Promise<Reply>}
 */
async function answerFlame (records, query) {
  const chosen = chooseBy(records, query)
  return chosen.error === undefined ? json(await flameOf(chosen.records)) : refusal(chosen.error)
}

/**
 * `/profile`: blocks in memory as one profile, weighted by blocked time.
 * @param {BlockRecord[]} records newest first
 * @param {URLSearchParams} query format, group, and see query-filter.js @returns {Promise<Reply>}
 */
async function profileOf (records, query) {
  const format = query.get('format') ?? 'cpuprofile'
  if (!Object.hasOwn(formats, format)) return refusal(`format takes ${Object.keys(formats).join(', ')}`)
  const group = /** @type {LabelName[]} */ ((query.get('group') ?? '').split(',').filter(Boolean))
  if (!group.every((name) => LABELS.includes(name)) || new Set(group).size < group.length) {
    return refusal(`group takes any of ${LABELS.join(', ')}, each once, joined by commas`)
  }
  const chosen = chooseBy(records, query)
  if (chosen.error !== undefined) return refusal(chosen.error)
  return reply(format, await collect(chosen.records, group), `loopwatch-${process.pid}`)
}

/**
 * One block, if its name has the ending of a format: `/blocks/4242-17.cpuprofile`.
 * @param {string} id with ending @param {(id: string) => BlockRecord | undefined} block
 */
function fileOf (id, block) {
  for (const [format, { ending }] of Object.entries(formats)) {
    if (!id.endsWith(`.${ending}`)) continue
    const record = block(id.slice(0, -ending.length - 1))
    if (record === undefined) return null
    const table = new StackTable()
    table.add(record)
    return reply(format, table, `loopwatch-${record.id}`)
  }
  return null
}

/** @param {string} format @param {StackTable} table @param {string} name @returns {Reply} */
function reply (format, table, name) {
  const { type, ending, write } = formats[format]
  return download(`${name}.${ending}`, type, write(table, name))
}

/** All stacks first, then causes and routes. @param {StackTable} table @param {string} name */
function writeSpeedscope (table, name) {
  const { frames, stacks } = table
  /** @type {Map<string, TableStack[]>} heaviest first, as the stacks are */
  const groups = new Map()
  for (const stack of stacks) {
    const key = `${stack.labels.cause}, ${stack.labels.route}`
    const group = groups.get(key)
    if (group) group.push(stack)
    else groups.set(key, [stack])
  }
  const parts = groups.size > 1 ? [...groups].slice(0, MOST_PROFILES) : []
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    name,
    exporter: 'loopwatch',
    activeProfileIndex: 0,
    shared: {
      frames: frames.map(({ function: title, file, line, column }) => ({
        name: title ?? '(anonymous)',
        ...(file !== null && { file }),
        ...(line !== null && { line }),
        ...(column !== null && { col: column })
      }))
    },
    profiles: [sampled('all', stacks), ...parts.map(([title, group]) => sampled(title, group))]
  })
}

/** @param {string} name @param {TableStack[]} stacks */
function sampled (name, stacks) {
  const weights = stacks.map(({ weightMs }) => weightMs)
  return {
    type: 'sampled',
    name,
    unit: 'milliseconds',
    startValue: 0,
    endValue: weights.reduce((sum, weight) => sum + weight, 0),
    samples: stacks.map(({ frames }) => frames),
    weights
  }
}

/**
 * A line for each stack, outermost frame first, weighted in whole milliseconds. flamegraph.pl, inferno and most viewers
 * read it. @param {StackTable} table
 */
function writeFolded (table) {
  const names = table.frames.map(nameOf)
  /** @type {Map<string, number>} labels are not part of the format */
  const lines = new Map()
  for (const { frames, weightMs } of table.stacks) {
    const line = frames.map((id) => names[id]).join(';')
    lines.set(line, (lines.get(line) ?? 0) + weightMs)
  }
  return [...lines].map(([line, weightMs]) => `${line} ${Math.max(1, Math.round(weightMs))}\n`).join('')
}

/** @param {Frame} frame */
function nameOf ({ function: name, file, line }) {
  const text = `${name ?? '(anonymous)'}${file === null ? '' : ` (${file}:${line})`}`
  // The format separates frames by semicolons and stacks by line ends.
  return text.replaceAll(';', ':').replace(/\p{Cc}/gu, ' ')
}

exports.collect = collect
exports.flameOf = flameOf
exports.answerFlame = answerFlame
exports.profileOf = profileOf
exports.fileOf = fileOf
exports.formats = formats
