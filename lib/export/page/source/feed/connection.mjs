const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 5000
/** The state comes every second. After this long without it, the agent or the connection is gone. */
const SILENT_MS = 5000
/** A tab that has been hidden for this long closes its connection: a browser has six for each address. */
const HIDDEN_MS = 60000
const TOKEN_KEY = 'loopwatch-token'

/**
 * Keeps the stream of events open. It reads the stream with fetch, since an EventSource cannot send the token in a
 * header, and a token in the URL would end up in logs and histories. The token is kept for the life of the tab.
 */
export class Connection {
  #handlers
  #retryMs = FIRST_RETRY_MS
  /** @type {AbortController | null} */
  #abort = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silent
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #hidden

  /**
   * @param {object} handlers
   * @param {(event: string, data: any) => void} handlers.onEvent
   * @param {(reason: string) => void} handlers.onLost
   * @param {(wasWrong: boolean) => void} handlers.onToken the agent requires a token
   */
  constructor (handlers) {
    this.#handlers = handlers
    document.addEventListener('visibilitychange', () => this.#changeVisibility(document.hidden))
  }

  /** @param {string} token */
  useToken (token) {
    sessionStorage.setItem(TOKEN_KEY, token)
    this.open()
  }

  /** Sends the token if there is one. @param {string} path @param {AbortSignal} [signal] */
  get (path, signal) {
    const token = sessionStorage.getItem(TOKEN_KEY)
    return fetch(path, { signal, headers: token === null ? {} : { authorization: `Bearer ${token}` } })
  }

  async open () {
    this.close()
    if (!isSendable(sessionStorage.getItem(TOKEN_KEY) ?? '')) {
      this.#handlers.onToken(true)
      return
    }
    const abort = this.#abort = new AbortController()
    let reason = 'the connection was closed'
    try {
      this.#expect(abort)
      const response = await this.get('events', abort.signal)
      if (response.status === 401) {
        clearTimeout(this.#silent)
        this.#abort = null
        this.#handlers.onToken(sessionStorage.getItem(TOKEN_KEY) !== null)
        return
      }
      if (response.ok) await this.#read(response, abort)
      else reason = (await response.json()).error
    } catch (error) {
      reason = abort.signal.aborted ? 'no data for 5 s' : 'no response'
    }
    if (this.#abort !== abort) return
    clearTimeout(this.#silent)
    this.#handlers.onLost(reason)
    this.#retry = setTimeout(() => this.open(), this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS)
  }

  /** @param {Response} response @param {AbortController} abort */
  async #read (response, abort) {
    const parse = makeParser((event, data) => {
      if (this.#abort === abort) this.#handlers.onEvent(event, JSON.parse(data))
    })
    const decoder = new TextDecoder()
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      this.#retryMs = FIRST_RETRY_MS
      this.#expect(abort)
      parse(decoder.decode(value, { stream: true }))
    }
  }

  /** @param {AbortController} abort */
  #expect (abort) {
    clearTimeout(this.#silent)
    this.#silent = setTimeout(() => abort.abort(), SILENT_MS)
  }

  /** @param {boolean} isHidden */
  #changeVisibility (isHidden) {
    clearTimeout(this.#hidden)
    if (isHidden) this.#hidden = setTimeout(() => this.close(), HIDDEN_MS)
    else if (this.#abort === null && this.#retry === undefined) this.open()
  }

  close () {
    clearTimeout(this.#retry)
    clearTimeout(this.#silent)
    this.#retry = undefined
    const abort = this.#abort
    this.#abort = null
    abort?.abort()
  }
}

/** Whether a header can carry the token: characters above U+00FF cannot be sent. @param {string} token */
function isSendable (token) {
  try {
    return new Headers({ authorization: `Bearer ${token}` }).has('authorization')
  } catch {
    return false
  }
}

/**
 * Parses server-sent events: takes text in arbitrary pieces and passes on whole events.
 * @param {(event: string, data: string) => void} onEvent
 * @returns {(text: string) => void}
 */
function makeParser (onEvent) {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = /** @type {string} */ (blocks.pop())
    for (const block of blocks) {
      const [, event] = /^event: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (event !== undefined && data !== undefined) onEvent(event, data)
    }
  }
}
