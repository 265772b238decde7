import { toHex } from '../../../core/bytes/hex.ts'
import { isWithin, parseIpAddress, parseIpNetwork } from '../../../handlers/auth/ipAddress.ts'

/** Nodes that the options of this node refuse. Plain data, to be sent to the network worker. */
export type RefusedNodes = {
  /** Node ids in lower-case hex after 0x. */
  readonly ids: readonly string[]
  /** The only networks whose nodes are connected, such as 10.0.0.0/8; empty for all. */
  readonly networks: readonly string[]
}

const NONE: RefusedNodes = { ids: [], networks: [] }

/**
 * Why a node is refused, by its key and its address; undefined when it is not. A host name is checked once it is connected.
 */
export const createRefusal = ({
  ids,
  networks,
}: RefusedNodes = NONE): ((publicKey: Uint8Array, host: string) => string | undefined) => {
  const banned = new Set(ids)
  const allowed = networks.map(parseIpNetwork).filter(network => network !== undefined)
  return (publicKey, host) => {
    if (banned.size > 0 && banned.has(toHex(publicKey))) return 'its id is in --banned-node-ids'
    if (allowed.length === 0) return undefined
    const address = parseIpAddress(host)
    if (address === undefined || allowed.some(network => isWithin(address, network))) return undefined
    return `${host} is outside of the networks of --net-restrict`
  }
}
