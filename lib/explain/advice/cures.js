'use strict'

/**
 * Cures by the page of docs/causes that says the same under "Advice for specific findings"; a test compares them.
 * `explain` reads no file, and bundles lack the documents.
 */
exports.cures = {
  js: {
    size: 'Limit its size, or process it in parts.',
    constant: 'A limit on its size would not help.',
    nested: 'Write it without the inner repetition, limit the length of the text first, or use a ' +
      'linear-time engine (re2).',
    neighbours: 'Let them match different characters, or limit the length of the text first.',
    pattern: 'Limit the length of the text first, or search less often.',
    require: 'Load it at the top of the file, or once at startup.',
    mapping: 'Ask for fewer rows and columns (limit, select), take them in pages, or ask for plain ' +
      'rows (lean(), raw: true).',
    template: 'Render fewer items, cache rendered parts, or stream the output.',
    search: 'Make a Map or a Set of the list before the loop, and look it up there.',
    microtasks: 'Every few milliseconds, await setImmediate() of node:timers/promises.',
    growth: 'Something that it processes grows, such as a list, a cache or a table without a limit.',
    package: 'Give it less, or run it in a worker thread.',
    split: 'Do less per turn, split the work (scheduler.yield()), or move it to a worker thread.'
  },
  native: {
    copy: 'Copy only the part that you change, or share the value and do not change it.',
    often: 'Parse less often, keep the results, or let other work run between the calls (scheduler.yield()).',
    parse: 'Ask for less, read it in pages or line by line, stream it (stream-json), or parse it in a worker thread.',
    stringify: 'Send less, send it in pages, cache the text, stream it, or build it in a worker thread.',
    compare: 'Make one Intl.Collator and sort by its compare(), or let the database sort.',
    keys: 'Compute the key of each element once beforehand, and compare only the keys.',
    sort: 'Let the database sort and limit, keep the list sorted, or sort it in a worker thread.',
    tls: 'Make one https.Agent with keepAlive, or one secure context, and use it for every connection.'
  },
  'sync-io': {
    database: 'Give the query an index and a limit, and run long ones in a worker thread with its own connection.',
    lock: 'Keep transactions short, and switch to write-ahead logging (PRAGMA journal_mode = WAL), in which readers ' +
      'do not wait. With a busy timeout of 0, the call fails immediately: try again later from a timer.',
    logging: 'Log less in this place, or use a logger that writes from another thread (pino.transport, or pino with ' +
      'sync: false).',
    report: 'Set process.report.excludeNetwork = true first.'
  },
  gc: {
    memory: 'Compare two heap snapshots to find what grows, and bound it: a cache, a list, listeners. If all of it ' +
      'is needed, raise --max-old-space-size.',
    allocation: 'Create fewer objects here (no copies in loops, no growing strings or spreads), keep less alive, or ' +
      'enlarge the heap (--max-semi-space-size, --max-old-space-size).'
  },
  many: {
    many: 'Take fewer at a time (a limit, a queue), do less in each, or add processes.'
  }
}

/** Advice on built-ins that no other detector has: docs/causes/native.md, "By call". */
const OF_BUILTINS = {
  'shift unshift splice': 'shifts every element after the change. In a long list, take from the end (pop), remember ' +
    'the index of the first one, or use a queue.',
  'indexOf lastIndexOf includes': 'searches from one end to the other. In a loop, keep a Set or a Map of what ' +
    'you look for.',
  'spread concat Object.assign': 'copies everything, at each step of a loop. Add to one list or object instead ' +
    '(push, a property, a Map).',
  'slice Array.from fill reverse flat Object.keys Object.values Object.entries Object.fromEntries': 'goes over the ' +
    'whole list or object. Do it once, not in a loop, and only for the part that you need.',
  'join repeat toLowerCase toUpperCase normalize encodeURIComponent decodeURIComponent': 'copies the whole string. ' +
    'Limit its length, or process it in parts.',
  'match matchAll replace replaceAll search split test exec': 'goes through the whole text. Limit its length, or ' +
    'process it line by line (readline).',
  'Buffer.concat Buffer.from toString set': 'copies all the bytes. Limit their number, and handle large data in ' +
    'chunks as they arrive (a stream, TextDecoder with stream: true).',
  'toLocaleString localeCompare': 'looks up the rules of its language at each call. Reuse one formatter ' +
    '(Intl.NumberFormat, Intl.DateTimeFormat, Intl.Collator).',
  addEventListener: 'compares the listener with all existing ones. Remove those that are no longer needed (once: ' +
    'true, a signal).',
  next: 'runs a whole step of its iterator. Make the steps smaller, and yield to the event loop between them.',
  structuredClone: `copies the whole value. ${exports.cures.native.copy}`,
  eval: 'compiles its text at each call. Compile it once, as a function or a vm.Script.',
  'Atomics.wait': 'stops the thread until another one wakes it. Atomics.waitAsync does not.'
}
exports.builtins = new Map(Object.entries(OF_BUILTINS).flatMap(([names, text]) =>
  names.split(' ').map((name) => /** @type {const} */ ([name, text]))))
