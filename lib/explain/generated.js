'use strict'

/** Packages that compile templates, with the names that users know. */
const ENGINES = new Map([
  ['ejs', 'ejs'], ['handlebars', 'handlebars'], ['pug', 'pug'], ['pug-runtime', 'pug'], ['nunjucks', 'nunjucks'],
  ['mustache', 'mustache'], ['eta', 'eta'], ['liquidjs', 'liquidjs'], ['dot', 'dot'], ['lodash', 'lodash'],
  ['lodash.template', 'lodash'], ['underscore', 'underscore']
])
/** The name that an engine gives its code; EJS puts it in quotes. */
const TEMPLATE_FILE = /^"?([^"]+\.(?:ejs|eta|hbs|handlebars|pug|jade|njk|nunjucks|mustache|liquid|dot|jst|html?))"?$/i
/** The innermost package in which an `eval` was, from the path that V8 gives. */
const PACKAGE = /^eval at [^]*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/

/** @typedef {import('../types').Frame} Frame */

/**
 * Names generated code after its template: by the template's file if that is known, else by the engine. The lines of
 * the code are not those of the template. @param {Frame} frame @returns {Frame}
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
