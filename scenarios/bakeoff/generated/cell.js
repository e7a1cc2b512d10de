'use strict'

// The cell of --generated: programs drawn by chance, each in a process of its own with the default agent.
const { runProgram } = require('./run')
const { summarise } = require('./score')

/** A program whose truth is uncertain on this machine is replaced by the next one, up to this many for each. */
const TRIES = 8

/** @param {any} context */
exports.run = async (context) => {
  const { data: { programs, seed, family, options } } = context
  /** @type {NonNullable<Awaited<ReturnType<typeof runProgram>>>[]} */
  const results = []
  await context.measure(async () => {
    for (let index = 0; results.length < programs && index < programs * TRIES; index++) {
      const result = await runProgram(seed, index, { family, options })
      if (result === null) continue
      results.push(result)
      context.count(result.verdicts.length)
    }
  })
  context.check(results.length === programs, `${results.length} of ${programs} programs could be made`)
  return summarise(results)
}
