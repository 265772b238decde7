/** A longer one is no origin; the patterns of the list are run over it. */
const ORIGIN_LENGTH_MAX = 1024

const rejected = (): Response =>
  new Response('Exception thrown handling RPC', {
    status: 403,
    statusText: 'CORS Rejected - Invalid origin',
  })

export type Cors = {
  /** The answer to a request that goes no further: a refused origin or a preflight. */
  readonly answer: (request: Request, origin: string) => Response | undefined
  /** Adds what lets the origin read the response. */
  readonly allow: (response: Response, origin: string) => Response
}

/**
 * Besu's `--rpc-http-cors-origins`: regular expressions, one of which must match the whole Origin; `*` alone matches all.
 * An empty list refuses every request that carries an Origin. Requests without one never come here.
 */
export const createCors = (origins: readonly string[]): Cors => {
  const pattern = origins.includes('*') ? /^/ : new RegExp(`^(?:${origins.join('|')})$`)
  const isAllowed = (origin: string): boolean =>
    origins.length > 0 && origin.length <= ORIGIN_LENGTH_MAX && pattern.test(origin)
  const allow = (response: Response, origin: string): Response => {
    response.headers.set('access-control-allow-origin', origin)
    response.headers.set('vary', 'origin')
    return response
  }
  return {
    answer: (request, origin) => {
      if (!isAllowed(origin)) return rejected()
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method'))
        return undefined
      const preflight = new Response(null, {
        status: 204,
        headers: { 'access-control-allow-headers': '*,content-type' },
      })
      return allow(preflight, origin)
    },
    allow,
  }
}
