import 'uplot/dist/uPlot.min.css'
import './page.css'
import { BlockList } from './blocks/block-list.mjs'
import { showCauses } from './blocks/causes-table.mjs'
import { Charts } from './charts/charts.mjs'
import { Connection } from './feed/connection.mjs'
import { byId, setText } from './dom.mjs'
import { FlameOfAll } from './charts/flame-of-all.mjs'
import { clock } from './format.mjs'
import { StateLine } from './feed/state-line.mjs'

const state = new StateLine()
const charts = new Charts()
const get = (/** @type {string} */ path) => connection.get(path)
const blocks = new BlockList(get)
const flame = new FlameOfAll(get)
/** @type {string | null} */
let agent = null
/** @type {number | null} */
let lostAt = null

/** @type {Record<string, (data: any) => void>} */
const events = {
  hello (hello) {
    const { version, node, pid, labels, requests, seconds } = hello
    const build = `loopwatch ${version}, Node.js ${node}, process ${pid}`
    const named = Object.entries(labels).map(([name, value]) => `${name} ${value}`).join(', ')
    setText(byId('build'), named === '' ? build : `${named}, ${build}`)
    document.title = labels.service === undefined ? 'loopwatch' : `${labels.service} – loopwatch`
    say(agent !== null && agent !== `${pid}` ? `Another process answers now: ${pid} instead of ${agent}.` : null)
    agent = `${pid}`
    lostAt = null
    byId('live').hidden = false
    byId('token').hidden = true
    charts.begin(seconds)
    blocks.begin(hello)
    showCauses(blocks.records)
    flame.refresh()
    const note = byId('history-note')
    note.dataset.requests = `${requests}`
  },
  state (now) {
    state.show(now)
    charts.show(now)
    const isCluster = now.workers !== null
    const note = byId('history-note')
    note.hidden = !isCluster && note.dataset.requests === 'true'
    setText(note, isCluster
      ? 'Of the primary alone: each worker has its series in /metrics.'
      : 'Requests are not measured (option requests: off).')
  },
  blocks (records) {
    for (const record of records) blocks.put(record)
    showCauses(blocks.records)
    if (records.some((/** @type {any} */ { ongoing }) => !ongoing)) flame.refresh()
  },
  gone ({ id }) {
    blocks.remove(id)
    showCauses(blocks.records)
  }
}

const connection = new Connection({
  onEvent: (event, data) => events[event]?.(data),
  onLost: (reason) => {
    lostAt ??= Date.now()
    state.clear()
    say(`Disconnected since ${clock(lostAt)} (${reason}), trying again.`)
  },
  onToken: (wasWrong) => {
    state.clear()
    say(null)
    byId('live').hidden = true
    byId('token').hidden = false
    setText(byId('token-error'), wasWrong ? 'This token is not the one.' : '')
    byId('token-field').focus()
  }
})

/** @param {string | null} text */
function say (text) {
  const note = byId('connection')
  note.hidden = text === null
  setText(note, text ?? '')
}

byId('connection').setAttribute('role', 'status')
byId('token').addEventListener('submit', (/** @type {Event} */ event) => {
  event.preventDefault()
  connection.useToken(byId('token-field').value)
  byId('token-field').value = ''
})

say('Connecting…')
connection.open()
