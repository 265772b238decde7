import { createRefusalLog } from './refusals.ts'

/** Longest origin that is matched against the patterns. */
const ORIGIN_LENGTH_MAX = 1024

/** The answer to an origin that is refused. */
const rejected = (option: string): Response =>
  new Response(`Origin not allowed. ${option} names the origins that are.`, {
    status: 403,
    statusText: 'CORS Rejected - Invalid origin',
  })

export type Cors = {
  /** Refuses an origin that is not on the list. A request without an origin does not come from a web page: it passes. */
  readonly refuse: (origin: string | null) => Response | undefined
  /** Answers a refused origin or a preflight; undefined for a request that passes. */
  readonly answer: (request: Request, origin: string) => Response | undefined
  /** Adds the headers that let the origin read the response. */
  readonly allow: (response: Response, origin: string) => Response
}

/**
 * Besu's `--rpc-http-cors-origins`: regular expressions, one of which must match the whole Origin; `*` alone matches all.
 * An empty list refuses every request that carries an Origin.
 * @param option that sets the list
 * @param warn logs each refused origin once
 */
export const createCors = (
  origins: readonly string[],
  option: string,
  warn: (text: string) => void,
): Cors => {
  const logRefusal = createRefusalLog(
    warn,
    origin => `Refused a request of a page with the origin ${origin}: ${option} does not name it`,
  )
  const refused = (origin: string): Response => {
    logRefusal(origin)
    return rejected(option)
  }
  const pattern = origins.includes('*') ? /^/ : new RegExp(`^(?:${origins.join('|')})$`)
  const isAllowed = (origin: string): boolean =>
    origins.length > 0 && origin.length <= ORIGIN_LENGTH_MAX && pattern.test(origin)
  const allow = (response: Response, origin: string): Response => {
    response.headers.set('access-control-allow-origin', origin)
    response.headers.append('vary', 'origin')
    return response
  }
  return {
    refuse: origin => (origin === null || origin === '' || isAllowed(origin) ? undefined : refused(origin)),
    answer: (request, origin) => {
      if (!isAllowed(origin)) return refused(origin)
      if (request.method !== 'OPTIONS' || !request.headers.has('access-control-request-method'))
        return undefined
      const preflight = new Response(null, {
        status: 204,
        // `*` does not cover Authorization (Fetch standard, 4.10).
        headers: { 'access-control-allow-headers': '*,authorization,content-type' },
      })
      return allow(preflight, origin)
    },
    allow,
  }
}
