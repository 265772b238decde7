import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'bun:test'
import type { Block } from '../../core/block/block.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { decodeBlock } from '../../core/block/codec/block.ts'
import { splitBlocks } from '../../core/block/codec/blockStream.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { InvalidBlock } from '../../core/chain/rules/invalidBlock.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { memoryStore } from '../core/chain/support/memory.ts'
import { sharedPath } from '../support/published/shared.ts'

type Published = {
  readonly name: string
  readonly genesis: string
  readonly blocks: string
  readonly last: bigint
}

const CHAINS: readonly Published[] = [
  {
    name: 'execution-apis, Frontier to BPO2',
    genesis: 'conformance/execution-apis/genesis.json',
    blocks: 'conformance/execution-apis/chain.rlp',
    last: 54n,
  },
  {
    name: 'hive, Frontier, then London, Shanghai and Cancun',
    genesis: 'conformance/hive-chain/testGenesis.json',
    blocks: 'conformance/hive-chain/testBlockchain.blocks',
    last: 34n,
  },
]

/** Later than every block. */
const NOW_MS = 2_000_000_000_000

const open = async (genesisPath: string): Promise<Chain> => {
  const errors: unknown[] = []
  return openChain({
    genesis: parseGenesisText(readFileSync(genesisPath, 'utf8')),
    store: await openChainStore(memoryStore()),
    onError: error => errors.push(error),
  })
}

const encodedBlocks = async (path: string): Promise<readonly Uint8Array[]> => {
  const blocks: Uint8Array[] = []
  for await (const { bytes } of splitBlocks([readFileSync(path)])) blocks.push(bytes)
  return blocks
}

const importAll = async (chain: Chain, blocks: readonly Block[]): Promise<void> => {
  for (const block of blocks) await chain.importBlock(block, { nowMs: NOW_MS })
}

/** Where `part` stands in `whole`. */
const indexOf = (whole: Uint8Array, part: Uint8Array): number =>
  Buffer.from(whole.buffer, whole.byteOffset, whole.length).indexOf(part)

for (const { name, genesis, blocks, last } of CHAINS) {
  const genesisPath = sharedPath(genesis)
  const blocksPath = sharedPath(blocks)
  const missing = genesisPath === undefined || blocksPath === undefined

  describe.skipIf(missing)(`given ${name}${missing ? ' (../shared is not there)' : ''}`, () => {
    const encoded = async () => encodedBlocks(blocksPath as string)

    test('when it is imported to its last block, then every state root, receipts root, bloom and gas figure is equal', async () => {
      const chain = await open(genesisPath as string)
      const decoded = (await encoded()).map(decodeBlock)
      await importAll(chain, decoded)
      expect(chain.head().header).toEqual((decoded.at(-1) as Block).header)
      expect(chain.head().header.number).toBe(last)
      for (const block of decoded) {
        const record = await chain.store.record(block.header.number)
        expect(record?.block.header).toEqual(block.header)
        expect(record?.receipts).toHaveLength(block.transactions.length)
        expect(record?.receipts.at(-1)?.cumulativeGasUsed ?? 0n).toBe(block.header.gasUsed)
      }
    })

    test('when a bit in any part of a block is flipped, then the rule of that part refuses it, and nothing changes', async () => {
      const chain = await open(genesisPath as string)
      const all = (await encoded()).filter(bytes => decodeBlock(bytes).header.number > 0n)
      const [first, second] = all as [Uint8Array, Uint8Array]
      await importAll(chain, [decodeBlock(first)])
      const head = chain.head()
      const { header, transactions } = decodeBlock(second)
      const [transaction] = transactions
      const flips: readonly (readonly [string, Uint8Array])[] = [
        ['ancestry', header.parentHash],
        ['ommers-hash', header.ommersHash],
        ['state-root', header.stateRoot],
        ['transactions-root', header.transactionsRoot],
        ['receipts-root', header.receiptsRoot],
        ['logs-bloom', header.logsBloom],
        ['transactions-root', transaction?.encoded.subarray(-20) as Uint8Array],
      ]
      for (const [rule, part] of flips) {
        const flipped = second.slice()
        const at = indexOf(second, part) + part.length - 1
        flipped[at] = (flipped[at] as number) ^ 1
        const refused = await chain
          .importBlock(decodeBlock(flipped), { nowMs: NOW_MS })
          .catch((error: unknown) => error)
        expect(refused).toBeInstanceOf(InvalidBlock)
        expect(refused).toMatchObject({ rule, blockNumber: 2n })
        expect(chain.head()).toEqual(head)
      }
      expect(await chain.importBlock(decodeBlock(second), { nowMs: NOW_MS })).toBe('imported')
    })
  })
}
