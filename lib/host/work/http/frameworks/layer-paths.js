'use strict'

/** What path-to-regexp 0.1 writes around a mount path. */
const START = '^'
const END = '\\/?(?=\\/|$)'

/**
 * The templates that a layer of an Express router was mounted with (several for `use(['/a', '/b'])`), or null if the
 * layer does not show them. Only reads properties: a regular expression would overwrite the application's `RegExp.$1`.
 * @param {any} layer @returns {(string | RegExp)[] | null}
 */
exports.layerPaths = (layer) => {
  // router 2.3 keeps the path it was given. Earlier versions keep only whether it was '/', and what they matched last.
  if (layer.rawPath !== undefined) return [layer.rawPath].flat(Infinity)
  if (layer.slash === true || layer.regexp?.fast_slash === true) return ['/']
  if (layer.regexp === undefined) return fromLastMatch(layer)
  const { source } = layer.regexp
  if (!source.startsWith(START) || !source.endsWith(END)) return null
  return pathsOf(source.slice(START.length, -END.length), layer.keys)
}

/**
 * The template of the path that a layer matched last, for any request: values of parameters become their names. null if
 * its last match failed, or if it has several paths or an expression.
 * @param {{ path?: string, params?: Record<string, unknown>, matchers: Function[] }} layer
 */
function fromLastMatch (layer) {
  const { path, params } = layer
  if (typeof path !== 'string' || !params || !showsPathLater(layer)) return null
  const segments = path.split('/')
  let from = 0
  for (const name of Object.keys(params)) {
    const value = params[name]
    const at = segments.findIndex((segment, i) =>
      i >= from && (segment === value || encodeURIComponent(String(value)) === segment))
    if (at === -1) return null
    segments[at] = `:${name}`
    from = at + 1
  }
  return [segments.join('/')]
}

/** Whether a layer without a path may have one at another request. @param {any} layer */
function showsPathLater ({ regexp, matchers }) {
  return regexp === undefined && matchers?.length === 1 && matchers[0].name !== 'regexpMatcher'
}

/** @param {string} source one path or several alternatives @param {{ name: string | number }[]} keys in order */
function pathsOf (source, keys) {
  const rest = [...keys]
  const paths = []
  for (const alternative of source.split(`${END}|${START}`)) {
    const path = pathOf(alternative, rest)
    if (path === null) return null
    paths.push(path)
  }
  return paths
}

/**
 * Express 4 made `source` of a path: `\/tenants(?:\/([^/]+?))` was `/tenants/:tid`.
 * @param {string} source @param {{ name: string | number }[]} keys those of its groups are removed
 */
function pathOf (source, keys) {
  let path = ''
  for (let at = 0; at < source.length;) {
    const key = source.startsWith('(?:\\/(', at) ? keys.shift() : undefined
    if (key !== undefined) {
      at = closing(source, at) + 1
      path += `/:${key.name}`
      if (source[at] === '?') {
        path += '?'
        at++
      }
    } else if (source[at] === '\\' && !isWordChar(source[at + 1])) {
      path += source[at + 1]
      at += 2
    } else if ('^$*+?.()[]{}|\\'.includes(source[at])) {
      return null
    } else {
      path += source[at++]
    }
  }
  return path
}

/** The index of the bracket that closes the one at `open`. @param {string} source @param {number} open */
function closing (source, open) {
  let depth = 0
  let inClass = false
  for (let at = open; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '[') inClass = true
    else if (source[at] === ']') inClass = false
    else if (source[at] === '(' && !inClass) depth++
    else if (source[at] === ')' && !inClass && --depth === 0) return at
  }
  return source.length
}

/** With a backslash, a word character stands for a class (`\d`), not for itself. @param {string} char */
function isWordChar (char) {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || (char >= '0' && char <= '9')
}

exports.showsPathLater = showsPathLater
