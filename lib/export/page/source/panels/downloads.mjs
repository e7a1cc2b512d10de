import { byId, make } from '../dom.mjs'
import { save } from './save.mjs'

/** @type {[title: string, what: string, path: string, ending: string][]} */
const FILES = [
  ['timeline', 'the last ten minutes, for Perfetto or the DevTools of Chrome', 'timeline', 'trace.json']
]

/** Buttons that save what the agent knows as files. @param {(path: string) => Promise<Response>} get */
export function addDownloads (get) {
  byId('history-downloads').append(...FILES.map(([title, what, path, ending]) => {
    const button = make('button', { type: 'button', title: what, 'aria-label': `Download the ${title}: ${what}` }, title)
    button.addEventListener('click', () => {
      save(get, path, `loopwatch.${ending}`).catch(() => { button.textContent = 'not available' })
    })
    return button
  }))
}
