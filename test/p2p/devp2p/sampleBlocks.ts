import { type Hash, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { encodeHeader, rawHeaderHash } from '../../../core/block/codec/header.ts'
import type { Header } from '../../../core/block/header.ts'
import { EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { EMPTY_LIST, joinRlpList } from '../../../core/rlp/list.ts'
import { orderedTrieRoot } from '../../../core/trie/ordered.ts'
import type { HeadersQuery } from '../../../p2p/network.ts'
import { joinBlock } from '../../../p2p/devp2p/eth/blocks.ts'
import { transactionItems } from '../../../p2p/devp2p/eth/transactions.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { plainHeader } from '../../support/chains/plainHeader.ts'
import { seededRandom } from '../../support/random.ts'

export type SampleBlock = {
  readonly number: bigint
  readonly hash: Hash
  readonly header: Uint8Array
  readonly block: Uint8Array
}

const headerOf = (number: bigint, parentHash: Hash, transactions: readonly Uint8Array[]): Header =>
  plainHeader({
    parentHash,
    ommersHash: EMPTY_LIST_HASH,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: transactions.length === 0 ? EMPTY_TRIE_ROOT : orderedTrieRoot(transactions),
    receiptsRoot: EMPTY_TRIE_ROOT,
    number,
    gasLimit: 30_000_000n,
    timestamp: 1_700_000_000n + number,
  })

/** Bytes of the form of a transaction, signed by who knows whom; the same in every process. */
const transactionFrom = ({ bytes }: ReturnType<typeof seededRandom>, dataBytes: number): Uint8Array => {
  const number = (): Uint8Array => Uint8Array.of(1, ...bytes(31))
  return encodeRlp([0, 1n, 21_000n, new Uint8Array(20), 0, bytes(dataBytes), 27, number(), number()])
}

/** Blocks with real hashes and transaction roots, of which every third has transactions; nobody executes them. */
export const sampleBlocks = (count: number, dataBytes = 10): readonly SampleBlock[] => {
  const random = seededRandom(11)
  const blocks: SampleBlock[] = []
  for (let number = 0; number < count; number++) {
    const transactions = Array.from({ length: number % 3 === 2 ? 4 : 0 }, () =>
      transactionFrom(random, dataBytes),
    )
    const header = headerOf(BigInt(number), blocks.at(-1)?.hash ?? ZERO_HASH, transactions)
    const body = joinRlpList([joinRlpList(transactionItems(transactions)), EMPTY_LIST])
    const encoded = encodeHeader(header)
    blocks.push({
      number: BigInt(number),
      hash: rawHeaderHash(header),
      header: encoded,
      block: joinBlock(encoded, body),
    })
  }
  return blocks
}

/** What the handlers of a node with these blocks answer. */
export const serveSampleBlocks = (blocks: readonly SampleBlock[]) => {
  const byHash = new Map(blocks.map(block => [toBareHex(block.hash), block]))
  return {
    headers: async function* ({ start, count, skip, reverse }: HeadersQuery) {
      const first = 'hash' in start ? byHash.get(toBareHex(start.hash))?.number : start.number
      if (first === undefined) return
      const step = (reverse ? -1n : 1n) * (skip + 1n)
      for (let index = 0; index < count; index++) {
        const block = blocks[Number(first + step * BigInt(index))]
        if (block === undefined) return
        yield block.header
      }
    },
    blocksByHash: async function* (hashes: Uint8Array) {
      for (let at = 0; at < hashes.length; at += 32) {
        const block = byHash.get(toBareHex(hashes.subarray(at, at + 32)))
        if (block !== undefined) yield block.block
      }
    },
  }
}
