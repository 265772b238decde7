import type { Hash } from '../../../core/bytes/bytes.ts'
import { type RawItem, rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes, RlpError, type RlpInput, rlpScalar } from '../../../core/rlp/rlp.ts'
import type { EthVersion } from '../base/capabilities.ts'
import type { ForkId } from './forkId.ts'

/** The head in a status: up to eth/68 the total difficulty of its chain, from eth/69 on its number (EIP-7642). */
export type EthHead =
  | {
      readonly hash: Hash
      /** Of a QBFT chain: that of the genesis block, and 1 for each block. */
      readonly totalDifficulty: bigint
      readonly range?: undefined
    }
  | { readonly hash: Hash; readonly range: BlockNumbers }

/** The numbers of the first and the last block that a node has. */
export type BlockNumbers = { readonly earliest: bigint; readonly latest: bigint }

/** The start of the history of a peer with this first block; undefined for one that has all. */
export const historyStartOf = (earliest: bigint | undefined): bigint | undefined =>
  earliest === undefined || earliest <= 1n ? undefined : earliest

/** Status of eth/66, eth/68 and eth/69 (eth.md, "Status"). */
export type EthStatus = {
  readonly version: number
  readonly networkId: bigint
  readonly genesisHash: Hash
  readonly forkId: ForkId
  readonly head: EthHead
}

export const encodeStatus = ({ version, networkId, genesisHash, forkId, head }: EthStatus): Uint8Array => {
  const fork: RlpInput = [forkId.hash, forkId.next]
  return encodeRlp(
    head.range === undefined
      ? [version, networkId, head.totalDifficulty, head.hash, genesisHash, fork]
      : [version, networkId, genesisHash, fork, head.range.earliest, head.range.latest, head.hash],
  )
}

const scalarOf = (item: RawItem | undefined, what: string, bytesMax: number): bigint =>
  rlpScalar(rawString(item, what), what, bytesMax)

const hashOf = (item: RawItem | undefined, what: string): Hash =>
  rlpBytes(rawString(item, what), what, 32).slice()

const forkIdOf = (item: RawItem): ForkId => {
  const [hash, next] = rawItems(item, 'a fork id', 2)
  return {
    hash: rlpBytes(rawString(hash, 'a fork hash'), 'a fork hash', 4).slice(),
    next: scalarOf(next, 'the next fork', 8),
  }
}

const startOf = (version: RawItem | undefined, networkId: RawItem | undefined) => ({
  version: Number(scalarOf(version, 'the version', 4)),
  networkId: scalarOf(networkId, 'the network id', 32),
})

/** @throws RlpError when the first block comes after the last */
export const readBlockNumbers = (
  earliest: RawItem | undefined,
  latest: RawItem | undefined,
): BlockNumbers => {
  const range = {
    earliest: scalarOf(earliest, 'the first block', 8),
    latest: scalarOf(latest, 'the last block', 8),
  }
  if (range.earliest > range.latest)
    throw new RlpError(`blocks from ${range.earliest} on, and to ${range.latest}`)
  return range
}

const decodeWithDifficulty = (payload: Uint8Array): EthStatus => {
  const [version, networkId, totalDifficulty, hash, genesisHash, forkId] = rawItems(payload, 'a status', 6)
  return {
    ...startOf(version, networkId),
    genesisHash: hashOf(genesisHash, 'the genesis hash'),
    forkId: forkIdOf(forkId as RawItem),
    head: {
      hash: hashOf(hash, 'the hash of the head'),
      // GoQuorum takes 100 bits at most.
      totalDifficulty: scalarOf(totalDifficulty, 'the total difficulty', 32),
    },
  }
}

const decodeWithRange = (payload: Uint8Array): EthStatus => {
  const [version, networkId, genesisHash, forkId, earliest, latest, hash] = rawItems(payload, 'a status', 7)
  return {
    ...startOf(version, networkId),
    genesisHash: hashOf(genesisHash, 'the genesis hash'),
    forkId: forkIdOf(forkId as RawItem),
    head: { hash: hashOf(hash, 'the hash of the head'), range: readBlockNumbers(earliest, latest) },
  }
}

/** @throws RlpError when the bytes are not a status of the agreed version */
export const decodeStatus = (version: EthVersion, payload: Uint8Array): EthStatus =>
  version === 69 ? decodeWithRange(payload) : decodeWithDifficulty(payload)
