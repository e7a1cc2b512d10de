/** How long a button shows the result of its action. */
const RESULT_MS = 2000

/** @typedef {Node | string | false | null | undefined} Child the last three add nothing */

/**
 * Makes an element. Its text is always text: nothing on this page is ever parsed as markup.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | null>} [attributes] null and false: not set
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make (tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value)
  }
  fill(element, ...children)
  return element
}

/** Replaces the children of an element. @param {Element} element @param {...(Child | Child[])} children */
export function fill (element, ...children) {
  const shown = /** @type {(Node | string)[]} */ (children.flat().filter(Boolean))
  element.replaceChildren(...shown)
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

/** Hides an element that has no text. @param {any} element @param {string} text */
export function setNote (element, text) {
  element.hidden = text === ''
  setText(element, text)
}

/** @param {string} title @param {() => void} onClick @param {Record<string, string | null>} [attributes] */
export function makeButton (title, onClick, attributes = {}) {
  const button = make('button', { type: 'button', ...attributes }, title)
  button.addEventListener('click', onClick)
  return button
}

/**
 * A button that shows whether its action succeeded.
 * @param {string} title @param {() => Promise<void>} act @param {Record<string, string>} [attributes]
 */
export function actionButton (title, act, attributes) {
  const button = makeButton(title, async () => {
    button.textContent = await act().then(() => 'Done', () => 'Not available')
    setTimeout(() => { button.textContent = title }, RESULT_MS)
  }, attributes)
  return button
}

/**
 * Saves an answer of the endpoint as a file. A link could not send the token.
 * @param {(path: string) => Promise<Response>} get @param {string} path @param {string} file name
 */
export async function save (get, path, file) {
  const response = await get(path)
  if (!response.ok) throw new Error(`${response.status}`)
  const url = URL.createObjectURL(await response.blob())
  make('a', { href: url, download: file }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * @param {string} title
 * @param {(path: string) => Promise<Response>} get
 * @param {() => string} pathOf the answer at the time of the click @param {string} file name
 */
export function saveButton (title, get, pathOf, file) {
  return actionButton(title, () => save(get, pathOf(), file), { 'aria-label': `Download as ${title}` })
}

/** The colour of a cause. @param {string} cause */
export function chip (cause) {
  return make('span', { class: `chip cause-${cause}` })
}
