/**
 * The keys of the page. They are left alone where somebody types, and with a modifier, which is the browser's.
 * @param {{ blocks: import('../blocks/block-list.mjs').BlockList, search: HTMLElement, help: () => void }} parts
 */
export function bindKeys ({ blocks, search, help }) {
  /** @type {Record<string, () => void>} */
  const keys = {
    '/': () => search.focus(),
    j: () => blocks.step(1),
    k: () => blocks.step(-1),
    c: () => { navigator.clipboard?.writeText(blocks.open?.markdown() ?? '').catch(() => {}) },
    '?': help
  }
  document.addEventListener('keydown', (event) => {
    const target = /** @type {HTMLElement} */ (event.target)
    const isTyping = /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
    if (event.key === 'Escape' && isTyping) target.blur()
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return
    event.preventDefault()
    keys[event.key]()
  })
}
