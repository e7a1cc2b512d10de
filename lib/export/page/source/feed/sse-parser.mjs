/**
 * Takes server-sent events as they trickle in: pieces of text in, whole events out.
 * @param {(event: string, data: string) => void} onEvent
 * @returns {(text: string) => void}
 */
export function makeParser (onEvent) {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = /** @type {string} */ (blocks.pop())
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (event !== undefined && data !== undefined) onEvent(event, data)
    }
  }
}
