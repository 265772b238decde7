import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { rawItems, rawString } from '../../../core/rlp/rawItem.ts'
import { encodeRlp, rlpBytes, rlpScalar } from '../../../core/rlp/rlp.ts'
import type { Hash } from '../../../core/bytes/bytes.ts'
import type { ForkId } from './forkId.ts'

/** Status of eth/66 and eth/68 (eth.md, "Status"). */
export type EthStatus = {
  readonly version: number
  readonly networkId: bigint
  /** Of a QBFT chain: that of the genesis block, and 1 for each block. */
  readonly totalDifficulty: bigint
  readonly headHash: Hash
  readonly genesisHash: Hash
  readonly forkId: ForkId
}

const ITEMS = 6

export const encodeStatus = (status: EthStatus): Uint8Array =>
  encodeRlp([
    status.version,
    status.networkId,
    status.totalDifficulty,
    status.headHash,
    status.genesisHash,
    [status.forkId.hash, status.forkId.next],
  ])

/** @throws RlpError when the bytes are no status of these versions */
export const decodeStatus = (payload: Uint8Array): EthStatus => {
  const [version, networkId, totalDifficulty, headHash, genesisHash, forkId] = rawItems(
    payload,
    'a status',
    ITEMS,
  ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const [forkHash, forkNext] = rawItems(forkId, 'a fork id', 2)
  const scalar = (item: Uint8Array | undefined, what: string, bytesMax: number): bigint =>
    rlpScalar(rawString(item, what), what, bytesMax)
  const hash = (item: Uint8Array, what: string): Hash => rlpBytes(rawString(item, what), what, 32).slice()
  return {
    version: Number(scalar(version, 'the version', 4)),
    networkId: scalar(networkId, 'the network id', 32),
    // GoQuorum takes 100 bits at most.
    totalDifficulty: bytesToBigint(rlpBytes(rawString(totalDifficulty, 'the total difficulty'), 'it')),
    headHash: hash(headHash, 'the hash of the head'),
    genesisHash: hash(genesisHash, 'the genesis hash'),
    forkId: {
      hash: rlpBytes(rawString(forkHash, 'a fork hash'), 'a fork hash', 4).slice(),
      next: scalar(forkNext, 'the next fork', 8),
    },
  }
}
