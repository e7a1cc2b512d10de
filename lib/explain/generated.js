'use strict'

const { packageNameOf } = require('../util/code-owner')

/** Packages that compile templates, with the names that users know. */
const ENGINES = new Map([
  ['ejs', 'ejs'], ['handlebars', 'handlebars'], ['pug', 'pug'], ['pug-runtime', 'pug'], ['nunjucks', 'nunjucks'],
  ['mustache', 'mustache'], ['eta', 'eta'], ['liquidjs', 'liquidjs'], ['dot', 'dot'], ['lodash', 'lodash'],
  ['lodash.template', 'lodash'], ['underscore', 'underscore']
])
/** The name that an engine gives its code; EJS puts it in quotes. */
const TEMPLATE_FILE = /^"?([^"]+\.(?:ejs|eta|hbs|handlebars|pug|jade|njk|nunjucks|mustache|liquid|dot|jst|html?))"?$/i

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
  // V8 gives the path of the file in which an `eval` was.
  const engine = file.startsWith('eval at ') ? ENGINES.get(packageNameOf(file) ?? '') : undefined
  return engine === undefined ? frame : { ...frame, function: `${engine} template`, line: null, column: null }
}
