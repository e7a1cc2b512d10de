'use strict'

const DYNAMIC = [
  /^\d+$/, // numbers
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, // UUIDs
  /^(?=.*\d)[0-9a-f]{8,}$/i, // hex ids
  /^(?=.*\d)[\w.~=-]{20,}$/, // tokens: long, with a digit among the letters
  /^[a-z]{20,}$/i, // and without one, where nothing separates words
  /[@%]/, // addresses, anything encoded
  /^.{64,}$/ // anything too long to be a name
]
const SEGMENTS = 12

/**
 * A path as a template: segments that look like ids become `:id`, so that the number of templates
 * stays small. Exact routes come from the frameworks; this is for plain servers.
 * @param {string} path without query
 */
exports.pathTemplate = (path) => {
  const segments = path.split('/')
  const kept = segments.slice(0, SEGMENTS).map((segment) =>
    DYNAMIC.some((pattern) => pattern.test(segment)) ? ':id' : segment)
  return kept.join('/') + (segments.length > SEGMENTS ? '/…' : '')
}
