import { createRefusalLog } from './refusals.ts'

/** Host name or bracketed IPv6 address with an optional port. */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[^:[\],]*)(?::(\d{0,5}))?$/i
const PORT_MAX = 65_535

const FORBIDDEN_BODY = '{"message":"Host not authorized. --host-allowlist names the hosts that are."}'

const forbidden = (): Response =>
  new Response(FORBIDDEN_BODY, {
    status: 403,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })

const badRequest = (): Response => new Response(null, { status: 400 })

/**
 * Two Host headers, which the runtimes join with a comma. A proxy may have checked one, and this node would see the other (RFC 9112,
 * 3.2).
 */
const isRepeated = (authority: string): boolean => authority.includes(',')

/** The parts of a request that name its host. */
export type HostRequest = { readonly headers: Pick<Headers, 'get'>; readonly url?: string }

/** The authority of the Host header, or of the URL for requests without a connection; empty without either. */
export const authorityOf = ({ headers, url }: HostRequest): string =>
  headers.get('host') ?? (url === undefined ? '' : (URL.parse(url)?.host ?? ''))

/**
 * Besu's `--host-allowlist`, against DNS rebinding: the host of the authority must be on the list, whatever its port
 * and case; `*` alone allows all, even without a host. Returns the refusal; undefined for an allowed request.
 * @param warn logs each refused host once
 */
export const createHostCheck = (
  allowlist: readonly string[],
  warn: (text: string) => void,
): ((request: HostRequest) => Response | undefined) => {
  if (allowlist.includes('*')) return request => (isRepeated(authorityOf(request)) ? badRequest() : undefined)
  const allowed = new Set(allowlist.map(host => host.toLowerCase()))
  const logRefusal = createRefusalLog(
    warn,
    host => `Refused a request to the host ${host}: --host-allowlist does not name it`,
  )
  // The same client sends the same header with each request.
  let passedBefore: string | undefined
  return request => {
    const authority = authorityOf(request)
    if (authority === '') return forbidden()
    if (authority === passedBefore) return undefined
    const match = AUTHORITY.exec(authority)
    if (match === null || Number(match[2] ?? 0) > PORT_MAX) return badRequest()
    const host = (match[1] as string).toLowerCase()
    if (!allowed.has(host)) {
      logRefusal(host)
      return forbidden()
    }
    passedBefore = authority
    return undefined
  }
}
