import { readFileSync } from 'node:fs'
import { requestScheduler } from '../../handlers/inbound/requestScheduler.ts'
import { decodeBlock } from '../../core/block/codec/block.ts'
import { splitBlocks } from '../../core/block/codec/blockStream.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { POOL_OPTIONS } from '../../core/txpool/admission.ts'
import { createTransactionPool } from '../../core/txpool/transactionPool.ts'
import { createRpcContext } from '../../handlers/http/app.ts'
import { RPC_DEFAULTS, type RpcContext } from '../../handlers/rpc/context.ts'
import { memoryStore } from '../core/chain/support/memory.ts'
import { createSubmission, recoverSendersHere } from '../handlers/support/submission.ts'

/** Later than every block. */
const NOW_MS = 2_000_000_000_000

/** A node in this process over a published chain; it makes no blocks. */
export type PublishedNode = { readonly context: RpcContext; close(): Promise<void> }

export const openPublishedNode = async (genesisPath: string, blocksPath: string): Promise<PublishedNode> => {
  const raise = (error: unknown): never => {
    throw error
  }
  const store = await openChainStore(memoryStore())
  const genesis = parseGenesisText(readFileSync(genesisPath, 'utf8'))
  const chain = await openChain({ genesis, store, onError: raise })
  for await (const { bytes } of splitBlocks([readFileSync(blocksPath)])) {
    const block = decodeBlock(bytes)
    if (block.header.number > 0n) await chain.importBlock(block, { nowMs: NOW_MS })
  }
  // As Besu's pool does, which the cases describe.
  const pool = createTransactionPool({ ...POOL_OPTIONS, balanceCheck: false })
  const nowMs = (): number => NOW_MS
  const { minGasPrice } = RPC_DEFAULTS
  const context = createRpcContext({
    chain,
    pool,
    options: {
      ...RPC_DEFAULTS,
      clientVersion: 'quorate/v0.1.0/test',
      networkId: chain.configuration.chainId,
    },
    nowMs,
    scheduler: requestScheduler(),
    randomBytes: length => crypto.getRandomValues(new Uint8Array(length)),
    recoverSenders: recoverSendersHere,
    submit: createSubmission({ chain, pool, nowMs, minGasPrice }),
    network: undefined,
    mining: () => Promise.resolve(false),
    syncing: () => undefined,
    votes: undefined,
    differences: () => [],
    warn: () => undefined,
    reportError: (_, error) => raise(error),
  })
  return { context, close: () => store.close() }
}
