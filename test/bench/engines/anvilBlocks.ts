import { toHex } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { BLOCK_GAS_LIMIT } from '../workload.ts'
import type { Anvil } from './anvil.ts'
import type { BlockRun } from './ethereumjsBlocks.ts'

/** Arguments of an anvil that holds the state of a genesis file and mines when it is told. */
export const anvilBlockArgs = (genesisFile: string): readonly string[] => [
  '--hardfork',
  'cancun',
  '--no-mining',
  '--init',
  genesisFile,
  '--disable-min-priority-fee',
  '--gas-limit',
  String(BLOCK_GAS_LIMIT),
]

const BATCH = 100

/** Sends the transactions in batches, which is not measured, and then times `evm_mine`, HTTP included. */
export const anvilBlocks =
  (anvil: Anvil) =>
  async (sent: readonly RecoveredTransaction[]): Promise<BlockRun & { readonly sendMs: number }> => {
    const raw = sent.map(({ transaction }) => toHex(transaction.encoded))
    const sending = performance.now()
    for (let at = 0; at < raw.length; at += BATCH)
      await anvil.batch(raw.slice(at, at + BATCH).map(each => ['eth_sendRawTransaction', each] as const))
    const start = performance.now()
    await anvil.rpc('evm_mine')
    const ms = performance.now() - start
    const block = await anvil.rpc<{ gasUsed: string; receiptsRoot: string; transactions: readonly string[] }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    if (block.transactions.length !== sent.length)
      throw new Error(`anvil mined ${block.transactions.length} of ${sent.length} transactions`)
    const ordered = block.transactions.every(
      (hash, index) => hash === toHex(sent[index]?.transaction.hash as Uint8Array),
    )
    return {
      ms,
      sendMs: start - sending,
      outcome: { gasUsed: BigInt(block.gasUsed), receiptsRoot: ordered ? block.receiptsRoot : undefined },
    }
  }
