'use strict'

/** Packages that compile templates, by the names that people know. */
const ENGINES = new Map([
  ['ejs', 'ejs'], ['handlebars', 'handlebars'], ['pug', 'pug'], ['pug-runtime', 'pug'], ['nunjucks', 'nunjucks'],
  ['mustache', 'mustache'], ['eta', 'eta'], ['liquidjs', 'liquidjs'], ['dot', 'dot'], ['lodash', 'lodash'],
  ['lodash.template', 'lodash'], ['underscore', 'underscore']
])
/** A name that an engine gave its code, in quotes if it is EJS. */
const TEMPLATE_FILE = /^"?([^"]+\.(?:ejs|eta|hbs|handlebars|pug|jade|njk|nunjucks|mustache|liquid|dot|jst|html?))"?$/i
/** Where an `eval` was, by the path that V8 gives: the innermost package. */
const PACKAGE = /^eval at [^]*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/

/** @typedef {import('../types').Frame} Frame */

/**
 * Generated code by the template that it was made of, if it was: by its file where that is known, else by its engine.
 * The lines of the code are not those of the template.
 * @param {Frame} frame
 * @returns {Frame}
 */
exports.nameTemplate = (frame) => {
  const file = frame.file ?? ''
  const template = TEMPLATE_FILE.exec(file)?.[1]
  if (template !== undefined) {
    const short = template.split(/[\\/]/).slice(-2).join('/')
    return { ...frame, function: `template ${short}`, file: template, line: null, column: null }
  }
  const engine = ENGINES.get(PACKAGE.exec(file)?.[1] ?? '')
  return engine === undefined ? frame : { ...frame, function: `${engine} template`, line: null, column: null }
}
