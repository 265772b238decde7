import { type Authentication, NO_AUTHENTICATION } from '../../handlers/auth/authentication.ts'
import { type ClientOf, createClientOf } from '../../handlers/auth/client.ts'
import { parseIpNetwork } from '../../handlers/auth/ipAddress.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import type { Log } from '../logging/log.ts'
import { hasAuthSettings } from './settings.ts'

/** The authentication of each port. */
export type Access = {
  /** Also for GraphQL and metrics. */
  readonly http: Authentication
  readonly ws: Authentication
  /** The client address of a request behind trusted proxies. */
  readonly clientOf: ClientOf
  /** Ends running logins and stops the password threads. */
  readonly close: () => Promise<void>
}

/** What `ports.ts` gives where authentication is off, without its libraries. */
const OFF: Omit<Access, 'clientOf'> = {
  http: NO_AUTHENTICATION,
  ws: NO_AUTHENTICATION,
  close: () => Promise.resolve(),
}

/** Opens the authentication of each port by the options. Checks keys and files before any port listens. @throws UsageError */
export const openAccess = async (options: NodeOptions, log: Log): Promise<Access> => {
  const ports = hasAuthSettings(options) ? await (await import('./ports.ts')).openPorts(options, log) : OFF
  const proxies = options.rpcTrustedProxies.map(parseIpNetwork).filter(network => network !== undefined)
  return { ...ports, clientOf: createClientOf(proxies) }
}
