import { authorityOf, type HostRequest } from './hosts.ts'

/** An address rather than a name: an attacker's name server could resolve a name to this node. */
const IS_ADDRESS = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::\d+)?$/i

/** Tests whether the request comes from a page of this node: browsers send an Origin with every POST. */
export type OwnOrigin = (request: HostRequest, origin: string) => boolean

/**
 * Pages of this node have the origin of the Host header. With `*` in the allowlist no name has been checked, so only addresses
 * count.
 * @param pagePort port of the pages, if it is not the port of the request
 */
export const createOwnOrigin = (
  hostAllowlist: readonly string[],
  pagePort: (requestPort: string) => string = port => port,
): OwnOrigin => {
  const everyHost = hostAllowlist.includes('*')
  return (request, origin) => {
    const host = authorityOf(request)
    if (host === '' || (everyHost && !IS_ADDRESS.test(host))) return false
    const [, name, port = ''] = /^(.*?)(?::(\d+))?$/.exec(host) as unknown as [string, string, string?]
    const wanted = pagePort(port)
    const authority = wanted === '' ? name : `${name}:${wanted}`
    return origin === `http://${authority}` || origin === `https://${authority}`
  }
}
