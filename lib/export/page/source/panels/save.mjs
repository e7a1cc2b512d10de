import { make } from '../dom.mjs'

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
