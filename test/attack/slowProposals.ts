import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from '../../core/block/block.ts'
import { decodeBlock } from '../../core/block/codec/block.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { decodeTransaction } from '../../core/block/codec/transaction.ts'
import { equalBytes } from '../../core/bytes/bytes.ts'
import { fromHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { sign } from '../../core/crypto/crypto.ts'
import { parseGenesis } from '../../core/genesis/parse/parse.ts'
import { encodeProposal, encodeProposalPayloadSteps } from '../../core/qbft/codec/proposal.ts'
import { QBFT_CODES, type WireMessage } from '../../core/qbft/message.ts'
import { signPayload } from '../support/signPayload.ts'
import { runSteps } from '../../core/steps.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { orderedTrieRoot } from '../../core/trie/ordered.ts'
import { proposerOf } from '../../core/validators/proposer.ts'
import type { Cluster } from '../cluster/support/cluster.ts'
import { freshKey, SLOW_CODE, slowCreation } from '../cluster/support/slowTransactions.ts'
import { memoryStore } from '../core/chain/support/memory.ts'
import { testAddress, testKey } from '../runtime/genesis.ts'

/** The cluster's chain, followed by RPC of one node. */
export type FollowedChain = {
  readonly chain: Chain
  /** Imports what the node has. */
  readonly follow: () => Promise<void>
}

export const followChain = async (
  cluster: Cluster,
  folder: string,
  index: number,
): Promise<FollowedChain> => {
  const chain = await openChain({
    genesis: parseGenesis(JSON.parse(readFileSync(join(folder, 'genesis.json'), 'utf8'))),
    store: await openChainStore(memoryStore()),
    onError: error => {
      throw error
    },
  })
  const follow = async (): Promise<void> => {
    const head = await cluster.head(index)
    for (let number = Number(chain.head().header.number) + 1; number <= head; number++) {
      const raw = await cluster.node(index).rpc<string>('debug_getRawBlock', `0x${number.toString(16)}`)
      await chain.importBlock(decodeBlock(fromHex(raw)), { nowMs: Date.now() })
    }
  }
  return { chain, follow }
}

/** Whether the validator with this key proposes the next block in round 0. */
export const isProposer = async ({ chain }: FollowedChain, key: number): Promise<boolean> => {
  const { header } = chain.head()
  const validators = await chain.validators(header.number + 1n)
  const proposer = proposerOf(validators, header.coinbase, 0)
  return proposer !== undefined && equalBytes(proposer, testAddress(key))
}

/** A block that passes every check but takes for ever to execute. */
const slowBlock = async (chain: Chain, key: number): Promise<Block> => {
  const { header } = chain.head()
  const { block } = await chain.buildBlock({
    coinbase: testAddress(key),
    timestamp: header.timestamp + 1n,
    targetGasLimit: undefined,
    vanity: new Uint8Array(32),
    minGasPrice: 0n,
    round: 0,
    candidates: { next: () => undefined, skip: () => undefined },
    full: () => false,
  })
  const sender = freshKey(10_000 + Number(block.header.number))
  const transaction = decodeTransaction(slowCreation(sender, SLOW_CODE['a loop'] as Uint8Array).encoded)
  const transactionsRoot = orderedTrieRoot([transaction.encoded])
  const gasUsed = transaction.gasLimit
  return { ...block, transactions: [transaction], header: { ...block.header, transactionsRoot, gasUsed } }
}

/** The proposal of such a block for round 0 of the next height, signed by the validator with this key. */
export const slowProposal = async ({ chain }: FollowedChain, key: number): Promise<WireMessage> => {
  const block = await slowBlock(chain, key)
  const payload = { sequence: block.header.number, round: 0, block }
  const signed = signPayload(
    QBFT_CODES.proposal,
    payload,
    runSteps(encodeProposalPayloadSteps(payload, 'legacy')),
    digest => sealOfSignature(sign(digest, testKey(key))),
  )
  const data = encodeProposal({ kind: 'proposal', signed, roundChanges: [], prepares: [] })
  return { code: QBFT_CODES.proposal, data }
}
