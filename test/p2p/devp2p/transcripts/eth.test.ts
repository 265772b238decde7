import { describe, expect, test } from 'bun:test'
import { blockHash } from '../../../../core/block/codec/blockHash.ts'
import { decodeBlock, encodeBlock } from '../../../../core/block/codec/block.ts'
import { decodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { decodeHeader, encodeHeader } from '../../../../core/block/codec/header.ts'
import { encodeReceipt } from '../../../../core/block/codec/receipt.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { addressOfPublicKey } from '../../../../core/crypto/crypto.ts'
import { iterateRawItems, type RawItem } from '../../../../core/rlp/rawItem.ts'
import { joinRlpList } from '../../../../core/rlp/list.ts'
import type { BlockRecord } from '../../../../core/store/store.ts'
import { agreeOn } from '../../../../p2p/devp2p/base/capabilities.ts'
import { decodeHello, encodeHello } from '../../../../p2p/devp2p/base/hello.ts'
import {
  decodeAnnouncements,
  decodeNewBlock,
  encodeAnnouncements,
  encodeNewBlock,
  joinBlock,
} from '../../../../p2p/devp2p/eth/blocks.ts'
import { forkIdAt } from '../../../../p2p/devp2p/eth/forkId.ts'
import { receiptsWithoutBloom } from '../../../../p2p/devp2p/eth/receipts.ts'
import {
  decodeHeadersQuery,
  encodeHeadersQuery,
  encodeWithId,
  openWithId,
} from '../../../../p2p/devp2p/eth/requests.ts'
import { decodeStatus, encodeStatus } from '../../../../p2p/devp2p/eth/status.ts'
import {
  decodeTransactionAnnouncements,
  decodeTransactions,
  encodeTransactionAnnouncements,
  encodeTransactions,
  transactionItems,
} from '../../../../p2p/devp2p/eth/transactions.ts'
import { NAMES, openMemoryChain, type Read, readTranscript } from './readTranscript.ts'

const CLIENTS: Readonly<Record<string, string>> = {
  besu: 'besu/v26.8.1-dev-683880ba/linux-x86_64/openjdk-java-25',
  goquorum: 'Geth/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.26.8',
}

const itemsOf = (payload: Uint8Array): readonly RawItem[] => [
  ...iterateRawItems(openWithId(payload).content, 'an answer'),
]

const blocksOf = ({ one }: Read): readonly Uint8Array[] => {
  const bodies = itemsOf(one('blockBodies'))
  return itemsOf(one('blockHeaders')).map((header, index) => joinBlock(header, bodies[index] as RawItem))
}

/** The chain with all recorded blocks, each checked against its parent, its seals and its roots. */
const chainOf = async (read: Read): Promise<Chain> => {
  const chain = await openMemoryChain(read)
  for (const block of blocksOf(read)) await chain.importBlock(decodeBlock(block), { nowMs: Date.now() })
  return chain
}

describe.each(NAMES)('given what live validators sent, as %s has it', name => {
  const read = readTranscript(name)
  const { eth, all, one } = read

  test('when the hello is read, then it names the client, a validator, and the agreed version of eth', async () => {
    const hello = decodeHello(one('hello'))
    expect(hello.client).toBe(CLIENTS[name.split('-')[0] as string] as string)
    const offered = hello.capabilities.filter(({ name, version }) => name !== 'eth' || version <= eth)
    expect(agreeOn(offered)).toMatchObject({
      eth: { version: eth },
      istanbul: { offset: eth === 69 ? 0x22 : 0x21 },
    })
    expect(encodeHello(hello)).toEqual(one('hello'))
    const chain = await openMemoryChain(read)
    expect(await chain.validators(1n)).toContainEqual(addressOfPublicKey(hello.publicKey))
  })

  test('when the status is read, then it is of the genesis block, and has the fork id that this node computes', async () => {
    const status = decodeStatus(eth, one('status'))
    const { hash, header } = (await openMemoryChain(read)).genesis
    expect(status).toMatchObject({ version: eth, networkId: 1337n, genesisHash: hash })
    const head = { number: 0n, timestamp: header.timestamp }
    expect(status.forkId).toEqual(forkIdAt(hash, { blocks: [], times: [] }, head))
    expect(encodeStatus(status)).toEqual(one('status'))
  })

  test('when the blocks are read, then they follow the genesis block, are valid, and are written alike', async () => {
    const chain = await chainOf(read)
    const blocks = blocksOf(read)
    expect(chain.head().header.number).toBe(BigInt(blocks.length))
    for (const block of blocks) expect(encodeBlock(decodeBlock(block))).toEqual(block)
    for (const raw of itemsOf(one('blockHeaders'))) expect(encodeHeader(decodeHeader(raw))).toEqual(raw)
    const { id } = openWithId(one('blockHeaders'))
    expect(encodeWithId(id, itemsOf(one('blockHeaders')))).toEqual(one('blockHeaders'))
    const rounds = blocks.map(block => decodeExtraData(decodeBlock(block).header.extraData).round)
    expect(rounds.some(round => round > 0)).toBe(true)
    const types = blocks.flatMap(block => decodeBlock(block).transactions.map(({ type }) => type))
    expect(new Set(types)).toEqual(new Set(name.startsWith('besu') ? [0, 1, 2] : [0, 1]))
  })

  test('when the receipts are read, then they are those of the same blocks executed here', async () => {
    const { store } = await chainOf(read)
    const received = itemsOf(one('receipts'))
    expect(received.length).toBe(blocksOf(read).length)
    for (const [index, raw] of received.entries()) {
      const { receipts } = (await store.record(BigInt(index + 1))) as BlockRecord
      const own = joinRlpList(transactionItems(receipts.map(receipt => encodeReceipt(receipt))))
      expect(raw).toEqual(eth === 69 ? receiptsWithoutBloom(own) : own)
    }
  })

  test('when a new block is read, then it is the one on the chain, with its total difficulty', async () => {
    const { store } = await chainOf(read)
    expect(all('newBlock').length).toBeGreaterThan(0)
    for (const payload of all('newBlock')) {
      const { block, totalDifficulty } = decodeNewBlock(payload)
      const { header } = decodeBlock(block)
      expect(await store.chainHead(header.number)).toMatchObject({
        hash: blockHash({ kind: 'qbft' }, header),
        totalDifficulty,
      })
      expect(encodeNewBlock(block, totalDifficulty)).toEqual(payload)
    }
  })

  test('when announcements, transactions and queries are read, then they are written alike', () => {
    for (const payload of all('newBlockHashes')) {
      const announced = decodeAnnouncements(payload)
      expect(announced).toHaveLength(1)
      expect(encodeAnnouncements(announced)).toEqual(payload)
    }
    for (const payload of all('transactions'))
      expect(encodeTransactions(decodeTransactions(payload))).toEqual(payload)
    for (const payload of all('newPooledTransactionHashes'))
      expect(encodeTransactionAnnouncements(eth, decodeTransactionAnnouncements(eth, payload))).toEqual(
        payload,
      )
    for (const payload of all('getBlockHeaders')) {
      const { id, content } = openWithId(payload)
      expect(encodeHeadersQuery(id, decodeHeadersQuery(content))).toEqual(payload)
    }
    const pooled = openWithId(one('pooledTransactions'))
    const transactions = decodeTransactions(pooled.content)
    expect(transactions).toHaveLength(1)
    expect(encodeWithId(pooled.id, transactionItems(transactions))).toEqual(one('pooledTransactions'))
  })
})
