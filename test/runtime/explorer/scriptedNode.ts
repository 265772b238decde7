import { createExplorer } from '../../../handlers/explorer/explorer.ts'

/** The results of a node that a test plays, by method; a function gets the parameters. */
export type Results = Readonly<Record<string, unknown>>

export type ScriptedNode = {
  readonly url: string
  /** Replaces the results of later requests. */
  use(results: Results): void
  stop(): Promise<void>
}

type Request_ = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] }

const answerOf = (results: Results, { id, method, params = [] }: Request_) => {
  const known = results[method]
  if (known === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
  const result: unknown = typeof known === 'function' ? known(...params) : known
  return result instanceof Error
    ? { jsonrpc: '2.0', id, error: { code: -32000, message: result.message } }
    : { jsonrpc: '2.0', id, result }
}

/** Serves the explorer, as a node does, with results that a test chooses. A method without one is not served. */
export const startScriptedNode = (): ScriptedNode => {
  const pages = createExplorer({ webSocketPort: undefined })
  let results: Results = {}
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const page = pages(request)
      if (page !== undefined) return await page
      const body = (await request.json()) as Request_ | readonly Request_[]
      return Response.json(
        Array.isArray(body) ? body.map(one => answerOf(results, one)) : answerOf(results, body as Request_),
      )
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    use: next => {
      results = next
    },
    stop: () => server.stop(true),
  }
}
