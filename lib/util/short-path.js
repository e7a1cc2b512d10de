'use strict'

/** V8's name for the file of code that `eval` or `new Function` made, with the file that made it. */
const EVAL = /^eval at .*\((.*?)(?::\d+)*\)/s

/** The file and its folder, since half of all files are called index.js. @param {string | null} file */
exports.shortPath = (file) => {
  const maker = EVAL.exec(file ?? '')?.[1]
  const short = (maker ?? file ?? '').split(/[\\/]/).slice(-2).filter(Boolean).join('/')
  return maker === undefined ? short : `code made in ${short}`
}
