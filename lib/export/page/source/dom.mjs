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

/**
 * Saves an answer of the endpoint as a file. A link could not send the token.
 * @param {(path: string) => Promise<Response>} get @param {string} path @param {string} name
 */
export async function save (get, path, name) {
  const response = await get(path)
  if (!response.ok) throw new Error(`${response.status}`)
  const url = URL.createObjectURL(await response.blob())
  make('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/**
 * @param {string} title of the button
 * @param {(path: string) => Promise<Response>} get
 * @param {() => string} pathOf the answer at the time of the click @param {string} ending of the file
 */
export function saveButton (title, get, pathOf, ending) {
  const button = make('button', { type: 'button', 'aria-label': `Download as ${title}` }, title)
  button.addEventListener('click', () => {
    save(get, pathOf(), `loopwatch.${ending}`).catch(() => { button.textContent = 'not available' })
  })
  return button
}
