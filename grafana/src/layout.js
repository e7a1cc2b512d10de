'use strict'

const COLUMNS = 24

/**
 * Numbers the panels and places them from left to right, row after row, which the builders do not do. A panel that
 * does not fit into a line starts the next one. A line is as high as its highest panel.
 * @param {any} dashboard built
 */
exports.lay = (dashboard) => {
  let x = 0
  let y = 0
  let lineHeight = 0
  const nextLine = () => {
    x = 0
    y += lineHeight
    lineHeight = 0
  }
  dashboard.panels.forEach((/** @type {any} */ panel, /** @type {number} */ index) => {
    const isRow = panel.type === 'row'
    const { w, h } = isRow ? { w: COLUMNS, h: 1 } : panel.gridPos
    if (isRow || x + w > COLUMNS) nextLine()
    panel.id = index + 1
    panel.gridPos = { h, w, x, y }
    x += w
    lineHeight = Math.max(lineHeight, h)
    if (isRow) nextLine()
  })
  return dashboard
}
