import { byId } from '../dom.mjs'
import { saveButton } from './save.mjs'

/** Buttons that save what the agent knows as files. @param {(path: string) => Promise<Response>} get */
export function addDownloads (get) {
  byId('history-downloads').append(
    saveButton('timeline', get, () => 'timeline', 'trace.json'),
    saveButton('recording', get, () => 'recording', 'loopwatch')
  )
}
