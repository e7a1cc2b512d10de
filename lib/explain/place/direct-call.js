'use strict'

/** @import { Frame } from '../../types' */

/** Built-ins that V8 inlines together with their callbacks. */
const INLINABLE = new Set([
  'map', 'flatMap', 'forEach', 'filter', 'reduce', 'reduceRight', 'every', 'some', 'find', 'findIndex',
  'call', 'apply', 'next'
])

/** Whether V8 may have inlined a function that this one calls into its caller. @param {Frame} frame */
const isInlinable = ({ file, function: name }) => file !== null || INLINABLE.has(`${name}`)

/**
 * Whether a method of another name was called, which then called the function: V8 does not show every native method
 * (`statement.get()` calls functions of SQL).
 * @param {string} row of the call @param {Frame} caller @param {Frame} callee
 */
function isNativeMethod (row, { file, line, column }, callee) {
  const method = /^[\w$]+/.exec(row.slice(Number(column) - 1))?.[0]
  if (method === undefined || row[Number(column) - 2] !== '.' || INLINABLE.has(method)) return false
  // A function without a name that begins before the call is not an argument of it.
  return callee.function === null
    ? callee.file !== file || Number(callee.line) < Number(line)
    : !row.split(/[^\w$]+/).includes(callee.function.replace(ACCESSOR, ''))
}

/** The prefix that V8 gives an accessor and a method of a class. */
const ACCESSOR = /^(?:[gs]et |.*\.)/

exports.isInlinable = isInlinable
exports.isNativeMethod = isNativeMethod
