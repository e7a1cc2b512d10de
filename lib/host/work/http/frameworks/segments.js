'use strict'

/** A template's segment with one of these may stand for more or fewer segments than one. */
const OPEN = '*{(?+^$\\['

/** The segments of a template. @param {string} path */
exports.pathSegments = (path) => path.split('/').filter(isFilled)

/** Takes absolute URLs too. @param {string} url */
exports.urlSegments = (url) => {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const scheme = path[0] === '/' ? -1 : path.indexOf('://')
  const segments = (scheme === -1 ? path : path.slice(scheme + '://'.length)).split('/')
  return (scheme === -1 ? segments : segments.slice(1)).filter(isFilled)
}

/** @param {string} segment */
function isFilled (segment) {
  return segment !== ''
}

/**
 * Whether a URL fits a template, as far as the template shows it without running its expression. A parameter fits any
 * segment. From a wildcard, an option or an expression on, everything fits (nothing if the template must be `closed`).
 * @param {string[]} template @param {string[]} url
 */
exports.fits = (template, url, closed = false) => {
  for (let i = 0; i < template.length; i++) {
    for (let at = 0; at < OPEN.length; at++) {
      if (template[i].includes(OPEN[at])) return !closed
    }
    if (i >= url.length) return false
    if (!template[i].includes(':') && template[i].toLowerCase() !== url[i].toLowerCase()) return false
  }
  return template.length === url.length
}
