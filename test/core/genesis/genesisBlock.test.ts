import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { decodeBlock, encodeBlock } from '../../../core/block/codec/block.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { splitBlocks } from '../../../core/block/codec/blockStream.ts'
import type { Block } from '../../../core/block/block.ts'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { genesisBlock, genesisChanges } from '../../../core/genesis/genesisBlock.ts'
import { parseGenesis, parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { sharedPath } from '../../support/published/shared.ts'
import {
  DOCUMENTATION,
  FOUR_VALIDATORS,
  type GenesisFile,
  NO_VALIDATORS,
  withConfig,
} from './genesisFiles.ts'

const blockOf = (genesis: Genesis): Block =>
  genesisBlock(
    genesis,
    updateStateRoot({ get: () => undefined }, EMPTY_TRIE_ROOT, genesisChanges(genesis)).root,
  )
const hashOf = (genesis: Genesis): string =>
  toBareHex(blockHash(genesis.configuration.consensus, blockOf(genesis).header))

describe('given block 0 of known networks', () => {
  const known: readonly (readonly [string, GenesisFile, stateRoot: string, hash: string])[] = [
    [
      "the sample of Besu's documentation",
      DOCUMENTATION,
      'ef29d59f5304257e847b94993cce1b327ca864cbbae95a3e9556e69eca6d0d0c',
      '2faf6a1322dddc6a968e156ca795e92fc42e1631874de79ea28a607f4c7e0dba',
    ],
    [
      'four validators',
      FOUR_VALIDATORS,
      '166ed98eea93ab2b6f6b1a425526994adc2d675bf9a0d77d600ed1e02d8f77df',
      'a085309917b88f31bc3d2361eb6dcd86ca2b86d4ec29c90ff988ee416bb07757',
    ],
    [
      'no validators',
      NO_VALIDATORS,
      '166ed98eea93ab2b6f6b1a425526994adc2d675bf9a0d77d600ed1e02d8f77df',
      '8f537de077887ca49b4d43b80a977cffa6d15443642e4e83a671bfc398700837',
    ],
  ]
  for (const [name, file, stateRoot, hash] of known)
    test(`when ${name} is read, then its hash is known`, () => {
      const genesis = parseGenesis(file)
      expect(toBareHex(blockOf(genesis).header.stateRoot)).toBe(stateRoot)
      expect(hashOf(genesis)).toBe(hash)
    })

  const chains = [
    ['execution-apis/genesis.json', 'execution-apis/chain.rlp'],
    ['hive-chain/testGenesis.json', 'hive-chain/testBlockchain.blocks'],
  ] as const
  for (const [genesisFile, blocksFile] of chains) {
    const path = sharedPath(`conformance/${genesisFile}`)
    test.skipIf(path === undefined)(
      `when block 1 of ${blocksFile} is read, then it names it as parent`,
      async () => {
        const genesis = parseGenesisText(readFileSync(path as string, 'utf8'))
        const blocks = readFileSync(sharedPath(`conformance/${blocksFile}`) as string)
        for await (const { bytes } of splitBlocks([blocks])) {
          const { header } = decodeBlock(bytes)
          if (header.number === 1n) expect(toBareHex(header.parentHash)).toBe(hashOf(genesis))
          if (header.number === 0n) expect(encodeBlock(blockOf(genesis))).toEqual(bytes)
          if (header.number > 0n) break
        }
      },
    )
  }
})

describe('given the fields of later forks', () => {
  const headerWith = (
    config: Readonly<Record<string, unknown>>,
    top: Readonly<Record<string, unknown>> = {},
  ) => {
    const block = blockOf(parseGenesis({ ...withConfig(config), ...top }))
    // The block decoded from RLP must be the one encoded.
    expect(decodeBlock(encodeBlock(block))).toEqual(block)
    return block.header
  }

  test('when londonBlock is 0 or the file has one, then there is a base fee', () => {
    expect(headerWith({}).baseFeePerGas).toBeUndefined()
    expect(headerWith({ londonBlock: 0 }).baseFeePerGas).toBe(1_000_000_000n)
    expect(headerWith({ londonBlock: 5 }).baseFeePerGas).toBeUndefined()
    expect(headerWith({ londonBlock: 0 }, { baseFeePerGas: '0x7' }).baseFeePerGas).toBe(7n)
    expect(headerWith({}, { baseFeePerGas: '12' }).baseFeePerGas).toBe(12n)
    expect(headerWith({ londonBlock: 0, zeroBaseFee: true }).baseFeePerGas).toBe(1_000_000_000n)
  })

  test('when it is Shanghai or later, then there is a withdrawals root', () => {
    expect(headerWith({ londonBlock: 0, shanghaiTime: 0 }).withdrawalsRoot).toEqual(EMPTY_TRIE_ROOT)
    expect(headerWith({ londonBlock: 0, shanghaiTime: 0x5b3d92d7 }).withdrawalsRoot).toBeDefined()
    expect(headerWith({ londonBlock: 0, shanghaiTime: 0x5b3d92d8 }).withdrawalsRoot).toBeUndefined()
  })

  test('when a later fork is at genesis, then it includes the earlier ones', () => {
    const header = headerWith({ londonBlock: 0, pragueTime: 0 })
    expect(header.withdrawalsRoot).toEqual(EMPTY_TRIE_ROOT)
    expect([header.blobGasUsed, header.excessBlobGas]).toEqual([0n, 0n])
    expect(header.parentBeaconBlockRoot).toEqual(new Uint8Array(32))
    expect(toBareHex(header.requestsHash as Uint8Array)).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
  })

  test('when it is Cancun or later, then the blob fields are the file’s, and unused before', () => {
    const top = {
      blobGasUsed: '0x20000',
      excessBlobGas: '0x40000',
      parentBeaconBlockRoot: `0x${'ab'.repeat(32)}`,
    }
    const cancun = headerWith({ londonBlock: 0, cancunTime: 0 }, top)
    expect([cancun.blobGasUsed, cancun.excessBlobGas]).toEqual([0x20000n, 0x40000n])
    expect(toBareHex(cancun.parentBeaconBlockRoot as Uint8Array)).toBe('ab'.repeat(32))
    expect(headerWith({ londonBlock: 0, shanghaiTime: 0 }, top).blobGasUsed).toBeUndefined()
  })

  test('when there is no base fee, then no later field is written', () => {
    const block = blockOf(parseGenesis(withConfig({ shanghaiTime: 0 })))
    expect(block.header.withdrawalsRoot).toBeUndefined()
    expect(block.withdrawals).toEqual([])
  })
})

describe('given genesisChanges', () => {
  test('when they are read, then every account is new, with its code once and its slots', () => {
    const code = '0x6001'
    const genesis = parseGenesis({
      ...DOCUMENTATION,
      alloc: {
        '0x01': { balance: '0', code, storage: { '0x00': '0x00', '0x02': '0x0103' } },
        '0x02': { code, nonce: 10 },
        '0x03': {},
      },
    })
    const { accounts, codes } = genesisChanges(genesis)
    expect(codes.map(entry => toBareHex(entry.code))).toEqual(['6001'])
    expect(accounts.map(change => change.before)).toEqual([undefined, undefined, undefined])
    expect(accounts.map(change => change.after?.nonce)).toEqual([0n, 16n, 0n])
    expect(accounts[0]?.after?.codeHash).toEqual(codes[0]?.codeHash as Uint8Array)
    expect(accounts[0]?.slots.map(({ slot, after }) => [slot[31], after[30], after[31]])).toEqual([[2, 1, 3]])
  })
})
