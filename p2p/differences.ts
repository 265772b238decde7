import { equalBytes } from '../core/bytes/bytes.ts'
import { toHex } from '../core/bytes/hex.ts'
import type { PeerStatus } from './network.ts'

/** Why two nodes cannot be on one chain; undefined when they can. */
export const otherChain = (own: PeerStatus, theirs: PeerStatus): string | undefined => {
  if (own.networkId !== theirs.networkId) return `its network id is ${theirs.networkId}, not ${own.networkId}`
  if (!equalBytes(own.genesisHash, theirs.genesisHash))
    return `its genesis block is ${toHex(theirs.genesisHash)}, not ${toHex(own.genesisHash)}`
  return undefined
}

/** The names of the entries of the genesis file that differ, or that one side lacks; sorted. */
export const differingEntries = (own: PeerStatus, theirs: PeerStatus): readonly string[] => {
  const names = new Set([...Object.keys(own.configuration), ...Object.keys(theirs.configuration)])
  return [...names]
    .filter(
      name =>
        !Object.hasOwn(own.configuration, name) ||
        !Object.hasOwn(theirs.configuration, name) ||
        own.configuration[name] !== theirs.configuration[name],
    )
    .sort()
}
