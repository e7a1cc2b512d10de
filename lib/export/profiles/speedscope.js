'use strict'

/** @import { StackTable, TableStack } from './stack-table' */

/** Most profiles by cause and route in a file. The first profile has everything, rarer ones too. */
const PROFILES = 50

/** All stacks first, then causes and routes. @param {StackTable} table @param {string} name */
exports.writeSpeedscope = (table, name) => {
  const { frames, stacks } = table
  /** @type {Map<string, TableStack[]>} heaviest first, as the stacks are */
  const groups = new Map()
  for (const stack of stacks) {
    const key = `${stack.labels.cause}, ${stack.labels.route}`
    const group = groups.get(key)
    if (group) group.push(stack)
    else groups.set(key, [stack])
  }
  const parts = groups.size > 1 ? [...groups].slice(0, PROFILES) : []
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
    profiles: [profile('all', stacks), ...parts.map(([title, group]) => profile(title, group))]
  })
}

/** @param {string} name @param {TableStack[]} stacks */
function profile (name, stacks) {
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
