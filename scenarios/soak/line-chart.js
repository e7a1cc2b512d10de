'use strict'

const { escape } = require('../harness/report/bar-chart')
const { figure } = require('../harness/report/format')

const WIDTH = 600
const HEIGHT = 220
const LEFT = 50
const RIGHT = 110
const TOP = 8
const BOTTOM = 24
const TICKS = 5
/** Names at the ends of lines do not cover each other. */
const NAME_HEIGHT = 14

/**
 * Lines over time; each has its name at its end, so that nothing hangs on a colour.
 * @param {{ title: string, unit: string, lines: { name: string, points: [minutes: number, value: number][] }[] }} chart
 * @returns {Promise<string>}
 */
exports.renderLines = async ({ title, unit, lines }) => {
  // An ES module, which Node.js 20 takes by import() only.
  const { scaleLinear } = await import('d3-scale')
  const all = lines.flatMap(({ points }) => points)
  const x = scaleLinear()
    .domain([0, Math.max(...all.map(([minutes]) => minutes), Number.MIN_VALUE)])
    .range([LEFT, WIDTH - RIGHT])
  const y = scaleLinear()
    .domain([0, Math.max(...all.map(([, value]) => value), 1)])
    .nice(TICKS)
    .range([HEIGHT - BOTTOM, TOP])
  const grid = y.ticks(TICKS).map((value) => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" class="grid"/><text x="${LEFT - 6}" y="${y(value) + 4}" class="tick" text-anchor="end">${figure(value)}</text>`)
  const times = x.ticks(TICKS).map((value) => `<text x="${x(value).toFixed(1)}" y="${HEIGHT - 6}" class="tick" text-anchor="middle">${figure(value)} min</text>`)
  const ends = lines.map(({ points }, i) => ({ i, y: y(points.at(-1)?.[1] ?? 0) })).sort((a, b) => a.y - b.y)
  for (let i = 1; i < ends.length; i++) ends[i].y = Math.max(ends[i].y, ends[i - 1].y + NAME_HEIGHT)
  const names = ends.map(({ i, y }) => `<text x="${WIDTH - RIGHT + 6}" y="${(y + 4).toFixed(1)}">${escape(lines[i].name)}</text>`)
  const paths = lines.map(({ points }, i) => `<polyline class="line l${i}" points="${points.map(([minutes, value]) => `${x(minutes).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}"/>`)
  return `<figure><figcaption>${escape(`${title} (${unit})`)}</figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escape(title)}">${[...grid, ...times, ...paths, ...names].join('')}</svg></figure>`
}
