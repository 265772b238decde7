import { equalBytes } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import type { PeerStatus } from '../network.ts'

/** The difference between the chains of two nodes; undefined if both have the same chain. */
export const chainDifference = (own: PeerStatus, theirs: PeerStatus): string | undefined => {
  if (own.networkId !== theirs.networkId) return `its network id is ${theirs.networkId}, not ${own.networkId}`
  if (!equalBytes(own.genesisHash, theirs.genesisHash))
    return `its genesis block is ${toHex(theirs.genesisHash)}, not ${toHex(own.genesisHash)}`
  return undefined
}

/** The sorted names of the genesis file entries that differ or are missing on one side. */
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
