import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import { createTxFromRLP } from '@ethereumjs/tx'
import { Account, createAddressFromString, hexToBytes, unpadBytes } from '@ethereumjs/util'
import { createVM, runBlock } from '@ethereumjs/vm'
import { toHex } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { BLOCK_GAS_LIMIT, type BlockOutcome, CHAIN_ID, type createAlloc, GENESIS_TIME } from '../workload.ts'

export type BlockRun = { readonly ms: number; readonly outcome: BlockOutcome }

type Alloc = Awaited<ReturnType<typeof createAlloc>>

/** `@ethereumjs/vm` as it ships, with its caches on; its state stays in memory, nothing is made durable. */
export const ethereumjsBlocks = async (
  alloc: Alloc,
): Promise<(sent: readonly RecoveredTransaction[]) => Promise<BlockRun>> => {
  const common = new Common({ chain: { ...Mainnet, chainId: CHAIN_ID }, hardfork: Hardfork.Cancun })
  const stateManager = new MerkleStateManager({ common, caches: new Caches() })
  for (const [hex, { balance, code, storage }] of Object.entries(alloc)) {
    const address = createAddressFromString(hex)
    await stateManager.putAccount(address, new Account(0n, BigInt(balance)))
    if (code !== undefined) await stateManager.putCode(address, hexToBytes(code as `0x${string}`))
    for (const [slot, value] of Object.entries(storage ?? {}))
      await stateManager.putStorage(
        address,
        hexToBytes(slot as `0x${string}`),
        unpadBytes(hexToBytes(value as `0x${string}`)),
      )
  }
  await stateManager.flush()
  const vm = await createVM({ common, stateManager })
  let number = 0n
  return async sent => {
    number++
    const transactions = sent.map(({ transaction }) => createTxFromRLP(transaction.encoded, { common }))
    const block = createBlock(
      {
        header: {
          number,
          timestamp: GENESIS_TIME + number,
          gasLimit: BLOCK_GAS_LIMIT,
          baseFeePerGas: 10n ** 9n,
          difficulty: 0n,
        },
        transactions,
      },
      { common, skipConsensusFormatValidation: true },
    )
    // Recovers the senders, which the transactions then keep: recovery is measured apart.
    for (const transaction of block.transactions) transaction.getSenderAddress()
    const start = performance.now()
    const result = await runBlock(vm, {
      block,
      generate: true,
      skipBlockValidation: true,
      skipHeaderValidation: true,
    })
    const ms = performance.now() - start
    return { ms, outcome: { gasUsed: result.gasUsed, receiptsRoot: toHex(result.receiptsRoot) } }
  }
}
