'use strict'

/**
 * One line a stack, outermost frame first, weighted in whole milliseconds: flamegraph.pl, inferno and most viewers
 * read it.
 * @param {import('./stack-table').StackTable} table
 */
exports.writeFolded = (table) => {
  const names = table.frames.map(nameOf)
  /** @type {Map<string, number>} labels are not part of the format */
  const lines = new Map()
  for (const { frames, weightMs } of table.stacks) {
    const line = frames.map((id) => names[id]).join(';')
    lines.set(line, (lines.get(line) ?? 0) + weightMs)
  }
  return [...lines].map(([line, weightMs]) => `${line} ${Math.max(1, Math.round(weightMs))}\n`).join('')
}

/** @param {import('../../types').Frame} frame */
function nameOf ({ function: name, file, line }) {
  const text = `${name ?? '(anonymous)'}${file === null ? '' : ` (${file}:${line})`}`
  // The format separates frames by semicolons and stacks by line ends.
  return text.replaceAll(';', ':').replace(/\p{Cc}/gu, ' ')
}
