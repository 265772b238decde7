import { encodeHeader } from '../../../core/block/codec/header.ts'
import { encodeReceipt } from '../../../core/block/codec/receipt.ts'
import type { Receipt } from '../../../core/block/receipt.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { joinRlpList } from '../../../core/rlp/list.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import type { HeadersQuery, NetworkHandlers } from '../../network.ts'
import type { CreateYield } from '../../../core/scheduler.ts'
import { ifKept } from './ifKept.ts'
import { splitHashes } from '../../gossip/joinedHashes.ts'

/** The RLP list of the receipts of a block: typed receipts are byte strings in it. */
const receiptList = (receipts: readonly Receipt[]): Uint8Array =>
  joinRlpList(
    receipts.map(receipt => {
      const encoded = encodeReceipt(receipt)
      return receipt.type === 0 ? encoded : encodeRlp(encoded)
    }),
  )

/**
 * Serves the chain to devp2p peers: headers by number or hash with gaps between them, blocks and receipts by hash. The
 * network limits the count. @throws StoreCorruption
 */
export const createServeByHash = (
  { store }: Chain,
  createYield: CreateYield,
): Pick<NetworkHandlers, 'headers' | 'blocksByHash' | 'receiptsByHash'> => {
  async function* numbersOf(hashes: Uint8Array): AsyncGenerator<bigint> {
    const yieldTurn = createYield()
    for (const hash of splitHashes(hashes)) {
      const number = await store.numberOfHash(hash)
      if (number !== undefined) yield number
      await yieldTurn()
    }
  }
  const firstOf = async ({ start }: HeadersQuery): Promise<bigint | undefined> =>
    'hash' in start ? store.numberOfHash(start.hash) : start.number

  return {
    headers: async function* (query) {
      const yieldTurn = createYield()
      const first = await firstOf(query)
      if (first === undefined) return
      const step = (query.reverse ? -1n : 1n) * (query.skip + 1n)
      for (let index = 0n; index < query.count; index++) {
        const number = first + step * index
        const header = number < 0n ? undefined : await store.header(number)
        if (header === undefined) return
        yield encodeHeader(header)
        await yieldTurn()
      }
    },
    blocksByHash: async function* (hashes) {
      for await (const number of numbersOf(hashes)) {
        const bytes = await ifKept(() => store.blockBytes(number))
        if (bytes !== undefined) yield bytes
      }
    },
    receiptsByHash: async function* (hashes) {
      for await (const number of numbersOf(hashes)) {
        const record = await ifKept(() => store.record(number))
        if (record !== undefined) yield receiptList(record.receipts)
      }
    },
  }
}
