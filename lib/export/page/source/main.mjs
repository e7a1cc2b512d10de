import 'uplot/dist/uPlot.min.css'
import './page.css'
import 'causes.css'
import { Dashboard } from './panels/dashboard.mjs'
import { Connection } from './feed/connection.mjs'
import { byId, setNote, setText } from './dom.mjs'
import { clock } from './format.mjs'
import { Strip } from './panels/strip.mjs'

const strip = new Strip()
const dashboard = new Dashboard((/** @type {string} */ path) => connection.get(path))
/** @type {string | null} */
let agent = null
/** @type {number | null} */
let lostAt = null

/** @type {Record<string, (data: any) => void>} */
const events = {
  hello (hello) {
    const { version, node, pid, labels, recordedAt } = hello
    const when = recordedAt ? `, recorded ${new Date(recordedAt).toLocaleString()}` : ''
    const build = `loopwatch ${version}, Node.js ${node}, process ${pid}${when}`
    const named = Object.entries(labels).map(([name, value]) => `${name} ${value}`).join(', ')
    setText(byId('build'), named === '' ? build : `${named}, ${build}`)
    const isOther = agent !== null && agent !== `${pid}`
    say(isOther ? `Another process serves this page now: ${pid} instead of ${agent}.` : '')
    agent = `${pid}`
    lostAt = null
    byId('live').hidden = false
    byId('token').hidden = true
    strip.begin(hello)
    dashboard.begin(hello)
  },
  state (now) {
    strip.show(now)
    dashboard.state(now)
  },
  blocks: (rows) => dashboard.put(rows),
  gone: ({ id }) => dashboard.remove(id),
  waits: (waits) => dashboard.wait(waits)
}

const connection = new Connection({
  onEvent: (event, data) => events[event]?.(data),
  onLost: (reason) => {
    lostAt ??= Date.now()
    strip.clear()
    say(`Disconnected since ${clock(lostAt)} (${reason}), retrying.`)
  },
  onToken: (wasWrong) => {
    strip.clear()
    say('')
    byId('live').hidden = true
    byId('token').hidden = false
    setText(byId('token-error'), wasWrong ? 'Wrong token.' : '')
    byId('token-field').focus()
  }
})

/** @param {string} text */
function say (text) {
  setNote(byId('connection'), text)
}

byId('connection').setAttribute('role', 'status')
byId('token').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault()
  connection.useToken(byId('token-field').value)
  byId('token-field').value = ''
})

say('Connecting…')
connection.open()
