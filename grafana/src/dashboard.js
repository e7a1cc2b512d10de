'use strict'

const { AnnotationQueryBuilder, DashboardBuilder, DashboardCursorSync, DashboardLinkBuilder, DashboardLinkType, RowBuilder } = require('@grafana/grafana-foundation-sdk/dashboard')
const { lay } = require('./layout')
const { of, growth, by } = require('./queries')
const { shareable } = require('./sharing')
const { DATASOURCE } = require('./variables')

/** Dashboards of one tag link to each other. */
const TAG = 'loopwatch'

/** Each block as a mark over all panels of the dashboard. */
const blocks = () => new AnnotationQueryBuilder()
  .name('Blocks')
  .datasource(DATASOURCE)
  .enable(true)
  .iconColor('red')
  .expr(`${by('sum', 'job, instance, worker, cause, route', growth(of('blocked')))} > 0`)
  .titleFormat('{{cause}} block of {{instance}} {{worker}}')
  .textFormat('{{route}}')
  .tagKeys('cause')

/**
 * @param {object} spec
 * @param {string} spec.name of the file, and of the title
 * @param {string} spec.description
 * @param {any[]} spec.variables
 * @param {{ title: string, panels: any[] }[]} spec.rows
 * @param {boolean} [spec.annotated] with the blocks
 * @param {string} [spec.tag]
 */
exports.dashboard = ({ name, description, variables, rows, annotated = false, tag = TAG }) => {
  const builder = new DashboardBuilder(`loopwatch / ${name}`)
    .uid(`loopwatch-${name.toLowerCase()}`)
    .description(description)
    .tags([tag])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .variables(variables)
    .link(new DashboardLinkBuilder('loopwatch').type(DashboardLinkType.Dashboards).tags([tag]).includeVars(true).keepTime(true))
  if (annotated) builder.annotation(blocks())
  for (const { title, panels } of rows) {
    builder.withRow(new RowBuilder(title))
    for (const panel of panels) builder.withPanel(panel)
  }
  const built = /** @type {any} */ (builder.build())
  // The builders only offer one placement: a menu that hides these links.
  for (const item of [...built.links, ...(built.annotations?.list ?? [])]) delete item.placement
  return shareable(lay(built))
}
