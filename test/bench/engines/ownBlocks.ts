import { toHex } from '../../../core/bytes/hex.ts'
import { qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { decodeExtraData, encodeExtraData } from '../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import type { Block } from '../../../core/block/block.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { addressOfPrivateKey, sign } from '../../../core/crypto/crypto.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import type { ChainStore } from '../../../core/store/store.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { VALIDATOR_KEY } from '../genesis.ts'
import type { BlockRun } from './ethereumjsBlocks.ts'

export type OwnRun = BlockRun & { readonly block: Block }

export type OwnBlocks = {
  readonly store: ChainStore
  /** Builds, seals and commits one block: executed, all roots, its segment synced to SQLite. */
  readonly run: (sent: readonly RecoveredTransaction[]) => Promise<OwnRun>
  /** Reads ahead what these transactions need, as the node does while they wait in its pool; milliseconds it took. */
  readonly prefetch: (sent: readonly RecoveredTransaction[]) => Promise<number>
  readonly close: () => Promise<void>
}

/** Builds, executes and seals as a validator does, and commits. */
const mine = async (chain: Chain, sent: readonly RecoveredTransaction[]): Promise<OwnRun> => {
  let position = 0
  const start = performance.now()
  const built = await chain.buildBlock({
    coinbase: addressOfPrivateKey(VALIDATOR_KEY),
    timestamp: chain.head().header.timestamp + 1n,
    targetGasLimit: undefined,
    vanity: new Uint8Array(0),
    minGasPrice: 0n,
    round: 0,
    candidates: { next: () => sent[position++], skip: () => {} },
    full: () => false,
  })
  const { header } = built.block
  const seal = sealOfSignature(sign(qbftSealHash(header), VALIDATOR_KEY))
  const extraData = encodeExtraData({ ...decodeExtraData(header.extraData), seals: [seal] })
  const sealed = { ...header, extraData }
  await chain.commitBuilt(built, sealed)
  const ms = performance.now() - start
  if (built.receipts.length !== sent.length)
    throw new Error(`the block has ${built.receipts.length} of ${sent.length} transactions`)
  return {
    ms,
    outcome: { gasUsed: header.gasUsed, receiptsRoot: toHex(header.receiptsRoot) },
    block: { ...built.block, header: sealed },
  }
}

/** As many accounts at once as the node reads. */
const ACCOUNTS_AT_ONCE = 64

const prefetch = async (store: ChainStore, sent: readonly RecoveredTransaction[]): Promise<number> => {
  const accounts = sent.flatMap(({ transaction: { to }, sender }) =>
    to === undefined ? [sender] : [sender, to],
  )
  const start = performance.now()
  for (let at = 0; at < accounts.length; at += ACCOUNTS_AT_ONCE)
    await store.prefetch(accounts.slice(at, at + ACCOUNTS_AT_ONCE))
  return performance.now() - start
}

/** Our chain over the SQLite store in that folder. */
export const ownBlocks = async (folder: string, genesisJson: object): Promise<OwnBlocks> => {
  const store = await openChainStore(await openStorage('sqlite', folder))
  const chain = await openChain({
    genesis: parseGenesis(genesisJson),
    store,
    onError: error => {
      throw error
    },
  })
  return {
    store,
    run: sent => mine(chain, sent),
    prefetch: sent => prefetch(store, sent),
    close: () => store.close(),
  }
}
