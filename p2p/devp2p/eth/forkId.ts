import { crc32 } from 'node:zlib'
import { equalBytes, type Hash } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { Forks } from '../../network.ts'

/** EIP-2124: a checksum of the genesis hash and the forks that have passed, and the next fork, 0 when none is known. */
export type ForkId = {
  /** 4 bytes. */
  readonly hash: Uint8Array
  readonly next: bigint
}

/** Position on the chain; the timestamp in seconds. */
export type ForkHead = { readonly number: bigint; readonly timestamp: bigint }

const bytesOf = (value: bigint, length: 4 | 8): Uint8Array => {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  if (length === 4) view.setUint32(0, Number(value))
  else view.setBigUint64(0, value)
  return bytes
}

/** The checksums after each fork, that of the genesis block first, each with the next fork. */
const checksums = (genesisHash: Hash, { blocks, times }: Forks): readonly ForkId[] => {
  const ids: ForkId[] = []
  let checksum = crc32(genesisHash)
  for (const fork of [...blocks, ...times]) {
    ids.push({ hash: bytesOf(BigInt(checksum), 4), next: fork })
    checksum = crc32(bytesOf(fork, 8), checksum)
  }
  ids.push({ hash: bytesOf(BigInt(checksum), 4), next: 0n })
  return ids
}

const passed = ({ blocks, times }: Forks, { number, timestamp }: ForkHead): number =>
  blocks.filter(fork => fork <= number).length + times.filter(fork => fork <= timestamp).length

/** The fork id of a chain at this head (EIP-2124, with the timestamps of EIP-6122). */
export const forkIdAt = (genesisHash: Hash, forks: Forks, head: ForkHead): ForkId =>
  checksums(genesisHash, forks)[passed(forks, head)] as ForkId

/** Why a node with this fork id is on another chain, by the four rules of EIP-2124; undefined when it is not. */
export const forkIdMismatch = (
  genesisHash: Hash,
  forks: Forks,
  head: ForkHead,
  remote: ForkId,
): string | undefined => {
  const all = checksums(genesisHash, forks)
  const own = passed(forks, head)
  const theirs = all.findIndex(({ hash }) => equalBytes(hash, remote.hash))
  // Every fork is in force from the genesis block on, so the genesis hash, which was compared, is enough.
  if (all.length === 1) return undefined
  if (theirs === -1) return `its fork hash ${toHex(remote.hash)} is of no known fork`
  if (theirs < own && remote.next !== all[theirs]?.next)
    return `it does not know the fork at ${all[theirs]?.next}`
  // Timestamps are above a billion, block numbers of consortium networks below.
  const reached = remote.next > 1_000_000_000n ? head.timestamp : head.number
  const isPassed = remote.next > 0n && remote.next <= reached
  if (theirs === own && isPassed) return `this node does not know the fork at ${remote.next}`
  return undefined
}
