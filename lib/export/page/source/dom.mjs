/**
 * Makes an element. Its text is always text: nothing on this page is ever parsed as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | null>} [attributes] null and false: not set
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make (tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== null))
  return element
}

/** An element of index.html. @param {string} id @returns {any} */
export function byId (id) {
  return document.getElementById(id)
}

/**
 * Sets a text only if it differs, so that selections stay and screen readers do not repeat it.
 * @param {Element} element @param {string} text
 */
export function setText (element, text) {
  if (element.textContent !== text) element.textContent = text
}
