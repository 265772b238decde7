import { toHex } from '../../../../core/bytes/hex.ts'
import type { Block } from '../../../../core/block/block.ts'
import { QBFT_MIX_HASH } from '../../../../core/block/codec/blockHash.ts'
import { encodeHeader } from '../../../../core/block/codec/header.ts'
import { sealOfSignature } from '../../../../core/block/codec/seal.ts'
import type { Header } from '../../../../core/block/header.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { keccak256, sign } from '../../../../core/crypto/crypto.ts'
import { encodeRlp, type RlpInput } from '../../../../core/rlp/rlp.ts'
import type { RecoveredTransaction } from '../../../../core/block/transaction.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { parseGenesis } from '../../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../../../core/store/keyvalue/keyvalue.ts'
import {
  build,
  extend,
  genesisFile,
  importNow,
  openTestChain,
  type TestChain,
  type TestGenesis,
} from './chain.ts'
import { memoryStore } from './memory.ts'
import { type Key, VALIDATORS } from './keys.ts'

/** What a block of IBFT 2.0 says in its extraData; written here a second time, from Besu's `IbftExtraDataCodec`. */
export type Ibft2Content = {
  readonly validators?: readonly Key[]
  readonly vote?: readonly [Key, 'add' | 'drop']
  readonly round?: number
  readonly sealedBy?: readonly Key[]
  readonly header?: Partial<Header>
}

const itemsOf = ({ validators = VALIDATORS, vote }: Ibft2Content): readonly RlpInput[] => [
  new Uint8Array(32),
  validators.map(({ address }) => address),
  vote === undefined ? new Uint8Array(0) : [vote[0].address, Uint8Array.of(vote[1] === 'add' ? 0xff : 0)],
]

const fourBytes = (round: number): Uint8Array => Uint8Array.of(round >> 24, round >> 16, round >> 8, round)

/** The hash by which the next block and RPC name a block of IBFT 2.0. */
export const ibft2Hash = (header: Header, content: Ibft2Content = {}): Uint8Array =>
  keccak256(encodeHeader({ ...header, extraData: encodeRlp(itemsOf(content)) }))

/** The genesis of a chain that moves from IBFT 2.0, with epochs of 4 blocks, to QBFT at a block. */
export const ibft2Genesis = (
  startBlock: number,
  transitions: object = {},
  content: Ibft2Content = {},
): TestGenesis => ({
  config: { ibft2: { blockperiodseconds: 2, epochlength: 4 }, transitions },
  qbft: { startBlock, blockperiodseconds: 1, epochlength: 4, requesttimeoutseconds: 7 },
  top: {
    mixHash: toHex(QBFT_MIX_HASH),
    extraData: toHex(encodeRlp([...itemsOf(content), fourBytes(0), []])),
  },
})

/**
 * A chain with a history of IBFT 2.0, and its twin, whose first block is QBFT's. The node makes no blocks of IBFT 2.0, so the
 * twin executes them.
 */
export type Ibft2Chain = { readonly chain: TestChain; readonly twin: Chain }

const openTwin = async (genesis: TestGenesis): Promise<Chain> => {
  const parsed = parseGenesis(genesisFile(genesis))
  const { consensus } = parsed.configuration
  if (consensus.kind !== 'qbft') throw new Error('the test needs a QBFT chain')
  const configuration = { ...parsed.configuration, consensus: { ...consensus, startBlock: 0n } }
  return openChain({
    genesis: { ...parsed, configuration },
    store: await openChainStore(memoryStore()),
    onError: error => {
      throw error
    },
  })
}

export const openIbft2Chain = async (
  startBlock: number,
  transitions: object = {},
  kv: KeyValueStore = memoryStore(),
  content: Ibft2Content = {},
): Promise<Ibft2Chain> => {
  const genesis = ibft2Genesis(startBlock, transitions, content)
  return { chain: await openTestChain(genesis, kv), twin: await openTwin(genesis) }
}

const seal = (base: Header, content: Ibft2Content): Header => {
  const { round = 0, sealedBy = VALIDATORS } = content
  const header = { ...base, ...content.header }
  const signed = [...itemsOf(content), fourBytes(round)]
  const digest = keccak256(encodeHeader({ ...header, extraData: encodeRlp(signed) }))
  const seals = sealedBy.map(({ privateKey }) => sealOfSignature(sign(digest, privateKey)))
  return { ...header, extraData: encodeRlp([...signed, seals]) }
}

/** A block of IBFT 2.0 on the head, as Besu's validators would have sealed it. */
export const ibft2Block = async (
  { chain, twin }: Ibft2Chain,
  content: Ibft2Content = {},
  transactions: readonly RecoveredTransaction[] = [],
): Promise<Block> => {
  const { block } = await build(twin, transactions)
  return { ...block, header: seal({ ...block.header, parentHash: chain.head().hash }, content) }
}

/** Makes a block of IBFT 2.0, imports it, and returns it. */
export const extendIbft2 = async (
  both: Ibft2Chain,
  content: Ibft2Content = {},
  transactions: readonly RecoveredTransaction[] = [],
): Promise<Block> => {
  const block = await ibft2Block(both, content, transactions)
  await importNow(both.chain, block)
  await extend(both.twin, transactions, {}, content.sealedBy)
  return block
}
