'use strict'

/** What arrives in another thread as what it was. */
const CLONED = [Object, Array, Map, Set, Date, RegExp, Error, ArrayBuffer, SharedArrayBuffer]
const ARRIVE = new Set(CLONED.map((type) => type.prototype))
/** Of a large list all are alike. */
const MOST = 100
/** Of a module: what a worker thread can have a copy of, as long as nobody changes it. */
const COPIED = new Set(['Object', 'Array', 'RegExp', 'Date', 'Function', 'AsyncFunction', 'Module'])
const CHANGING = 'push|pop|shift|unshift|splice|set|add|delete|clear|sort|reverse|fill|assign'

/**
 * Why a value would arrive as something else: an instance of a class comes without its methods. null = it would not.
 * @param {unknown} value
 * @param {string} what it is
 * @param {number} [depth]
 * @returns {string | null}
 */
exports.lossOf = (value, what, depth = 3) => {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return null
  const type = Object.getPrototypeOf(value)
  if (type !== null && !ARRIVE.has(type)) return `${what} has an instance of ${type.constructor?.name ?? 'a class'}, which arrives without its methods`
  if (depth === 0) return null
  for (const each of Object.values(value).slice(0, MOST)) {
    const lost = exports.lossOf(each, what, depth - 1)
    if (lost !== null) return lost
  }
  return null
}

/**
 * @typedef {object} Scope
 * @property {string} type as the inspector names it
 * @property {boolean} isModule its variables are those of a module
 * @property {{ name: string, className?: string, subtype?: string }[]} variables
 */

/**
 * Why a function may depend on more than its arguments; null = it does not seem to.
 * @param {string} source of the function, from its parameters on
 * @param {Scope[]} scopes around it, the innermost first
 * @returns {string | null}
 */
exports.stateOf = (source, scopes) => {
  const words = new Set(source.match(/[\p{L}$_][\p{L}\d$_]*/gu))
  if (words.has('this') || words.has('super')) return 'it uses `this`'
  for (const { isModule, variables } of scopes) {
    for (const { name, className, subtype } of variables) {
      if (!words.has(name)) continue
      if (!isModule) return `it closes over \`${name}\``
      if (isChanged(source, name)) return `it changes \`${name}\` of its module`
      const kind = subtype !== undefined && /^(weak)?(map|set)$|proxy|promise|generator/.test(subtype) ? subtype : className
      if (kind !== undefined && !COPIED.has(kind) && subtype !== 'typedarray') return `it uses \`${name}\` of its module, ${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`
    }
  }
  return null
}

/** @param {string} source @param {string} name */
function isChanged (source, name) {
  const each = name.replaceAll('$', '\\$')
  const path = `(?<![\\w$.])${each}(\\.[\\w$]+|\\[[^\\]]*\\])*`
  return new RegExp(`${path}\\s*((?:[-+*/%&|^]|\\*\\*|<<|>>>?|&&|\\|\\||\\?\\?)?=(?![=>])|\\+\\+|--)|(\\+\\+|--)\\s*${path}|${path}\\.(${CHANGING})\\(|Object\\.assign\\(${each}\\b`).test(source)
}
