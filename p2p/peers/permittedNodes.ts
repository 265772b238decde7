import { equalBytes } from '../../core/bytes/bytes.ts'
import { unmappedAddress } from '../transport/enode.ts'

/** A node that may be connected: its key, and where it listens. Plain data, to be sent between threads. */
export type PermittedNode = {
  readonly publicKey: Uint8Array
  /** Its host as it is listed, and the addresses of a name. */
  readonly hosts: readonly string[]
  readonly port: number
}

/** An IPv4 address in IPv6 form is the same machine. */
const comparableHost = (host: string): string => unmappedAddress(host.toLowerCase())

/** Why a node may not be connected, by the list; undefined when it may, and where there is no list. */
export const unpermitted = (
  permitted: readonly PermittedNode[] | undefined,
  publicKey: Uint8Array,
  host: string,
  port: number,
): string | undefined => {
  if (permitted === undefined) return undefined
  const ofKey = permitted.filter(node => equalBytes(node.publicKey, publicKey))
  if (ofKey.length === 0) return 'the node is not in the allowlist'
  return ofKey.some(
    node => node.port === port && node.hosts.some(each => comparableHost(each) === comparableHost(host)),
  )
    ? undefined
    : `the allowlist has the node at another endpoint than ${host}:${port}`
}
