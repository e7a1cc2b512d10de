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
