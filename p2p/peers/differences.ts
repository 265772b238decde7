import { equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { PeerStatus } from '../network.ts'

/** Why two nodes are of different chains; undefined when they are of one. */
export const otherChain = (own: PeerStatus, theirs: PeerStatus): string | undefined => {
  if (own.networkId !== theirs.networkId) return `its network id is ${theirs.networkId}, not ${own.networkId}`
  if (!equalBytes(own.genesisHash, theirs.genesisHash))
    return `its genesis block is ${toHex(theirs.genesisHash)}, not ${toHex(own.genesisHash)}`
  return undefined
}

/** The sorted names of the genesis file entries that differ or that one side lacks. */
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
