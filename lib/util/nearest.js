'use strict'

/** Edit distance of two short words (Wagner and Fischer, 1974), row by row. @param {string} a @param {string} b */
function distance (a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    }
    row = next
  }
  return row[b.length]
}

/** The valid name that a mistyped one most likely meant. @param {string} name @param {string[]} names at least one */
exports.nearest = (name, names) => {
  const typed = name.slice(0, 64).toLowerCase()
  return names.reduce((best, candidate) =>
    distance(typed, candidate.toLowerCase()) < distance(typed, best.toLowerCase()) ? candidate : best)
}
