import { existsSync, readFileSync, rmSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Debian's package `chromium`, and what others call it. */
export const CHROMIUM: string | undefined =
  Bun.which('chromium') ?? Bun.which('chromium-browser') ?? Bun.which('google-chrome') ?? undefined

/** A page of a headless browser that reaches nothing but this machine. */
export type Page = {
  open(url: string): Promise<void>
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>
  /** Waits until an expression in the page is true. @throws when it is not for a long time */
  until(expression: string): Promise<void>
  /** A command of the DevTools protocol. @throws an error with its message */
  command(method: string, params?: object): Promise<Record<string, never>>
  /** Addresses of all that the page asked for. */
  readonly requested: readonly string[]
  /** Errors of its scripts. */
  readonly failures: readonly string[]
  close(): Promise<void>
}

/** A browser beside the other tests on two processors is slow. */
const PATIENCE_MS = 100_000

const waitFor = async <T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> => {
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs; await Bun.sleep(50)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`waited in vain for ${what}`)
}

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, never>
  readonly result?: Record<string, never>
  readonly error?: { readonly message: string }
}

/** Starts the browser with a profile of its own. */
export const openPage = async (program: string): Promise<Page> => {
  const profile = mkdtempSync(join(tmpdir(), 'quorate-chromium-'))
  const browser = Bun.spawn(
    [
      program,
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
  )
  const close = async (): Promise<void> => {
    browser.kill('SIGKILL')
    await browser.exited
    // Processes of the browser's own write on for a moment.
    await waitFor('the profile to be removed', () => {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
      return existsSync(profile) ? undefined : true
    })
  }
  try {
    const portFile = join(profile, 'DevToolsActivePort')
    const port = await waitFor('the browser', () => {
      if (browser.exitCode !== null) throw new Error(`the browser ended with code ${browser.exitCode}`)
      // The file is empty for a moment before the browser writes its port.
      const text = existsSync(portFile) ? readFileSync(portFile, 'utf8') : ''
      return /^(\d+)\n/.exec(text)?.[1]
    })
    const address = await waitFor('its page', async () => {
      const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as readonly {
        readonly type: string
        readonly webSocketDebuggerUrl: string
      }[]
      return targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl
    })
    const socket = new WebSocket(address)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', reject, { once: true })
    })
    const waiting = new Map<number, (message: Message) => void>()
    const requested: string[] = []
    const failures: string[] = []
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Message
      if (message.id !== undefined) waiting.get(message.id)?.(message)
      else if (message.method === 'Network.requestWillBeSent')
        requested.push((message.params as unknown as { request: { url: string } }).request.url)
      else if (message.method === 'Runtime.exceptionThrown') failures.push(JSON.stringify(message.params))
    })
    let count = 0
    const command = async (method: string, params: object = {}): Promise<Record<string, never>> => {
      const id = ++count
      const answered = new Promise<Message>(resolve => {
        waiting.set(id, resolve)
      })
      socket.send(JSON.stringify({ id, method, params }))
      const { result, error } = await answered
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result ?? {}
    }
    for (const domain of ['Page', 'Network', 'Runtime']) await command(`${domain}.enable`)
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result } = (await command('Runtime.evaluate', {
        expression,
        returnByValue: true,
      })) as unknown as {
        result: { value?: unknown }
      }
      return result.value
    }
    return {
      requested,
      failures,
      evaluate,
      command,
      open: async url => {
        await command('Page.navigate', { url })
      },
      until: async expression => {
        await waitFor(expression, async () => ((await evaluate(expression)) === true ? true : undefined))
      },
      close: async () => {
        // It ends its other processes then; where it does not, it is killed.
        await Promise.race([command('Browser.close').then(() => browser.exited), Bun.sleep(5_000)])
        socket.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
