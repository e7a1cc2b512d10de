'use strict'

/** @param {string} names @param {string} text @returns {[string, string][]} */
const each = (names, text) => names.split(' ').map((name) => [name, text])

/** What to do about built-ins that no other detector knows. @type {Map<string, string>} */
exports.builtins = new Map([
  ...each('shift unshift splice', 'moves all the elements behind the place that changes. In a long list take from the end (pop), keep the index of the first one instead of removing it, or use a queue.'),
  ...each('indexOf lastIndexOf includes', 'searches from one end to the other. In a loop keep a Set or a Map of what you look for.'),
  ...each('spread concat Object.assign', 'copies all that is there already. In a loop that is the whole again at each step: add to one list or object instead (push, a property, a Map).'),
  ...each('slice Array.from fill reverse flat Object.keys Object.values Object.entries Object.fromEntries', 'goes over the whole list or object. Do it once and not in a loop, take only the part that you need, or keep the data in a form that needs no copy.'),
  ...each('join repeat toLowerCase toUpperCase normalize encodeURIComponent decodeURIComponent', 'makes a new text of the whole one. Limit its length first, or work through it in parts.'),
  ...each('match matchAll replace replaceAll search split test exec', 'goes through the whole text. Limit its length first, or work through it line by line (readline).'),
  ...each('Buffer.concat Buffer.from toString set', 'copies all the bytes. Limit their number, and pass on or decode what is large in the parts in which it came (a stream, TextDecoder with stream: true).'),
  ...each('toLocaleString localeCompare', 'looks up the rules of its language at each call. Make one formatter and use it again (Intl.NumberFormat, Intl.DateTimeFormat, Intl.Collator).'),
  ...each('addEventListener', 'compares the listener with all that are there. Remove those that are over (once: true, a signal), or add one listener that knows what to do.'),
  ...each('next', 'does the work of a whole step of its iterator. Make the steps smaller, and let the loop come round between them.'),
  ...each('structuredClone', 'copies the whole value. Copy only the part that you change, or share the value and do not change it.'),
  ...each('eval', 'compiles its text at each call. Compile it once, as a function or a vm.Script, and run that.'),
  ...each('Atomics.wait', 'stops the thread until another one wakes it. Atomics.waitAsync does not.')
])
