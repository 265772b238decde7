import { ownBlocks } from '../engines/ownBlocks.ts'
import { createBlocks, type Sender } from '../workload.ts'

export type TransferChainOptions = {
  readonly senders: readonly Sender[]
  readonly blocks: number
  /** Blocks whose transactions are in memory at once. */
  readonly blocksAtOnce: number
  /** Accounts that each transfer's recipient is chosen from. */
  readonly recipients: number
}

/** Makes a chain of blocks of transfers in the data path. */
export const makeTransferChain = async (
  dataPath: string,
  genesis: object,
  { senders, blocks, blocksAtOnce, recipients }: TransferChainOptions,
): Promise<void> => {
  const own = await ownBlocks(dataPath, genesis)
  try {
    for (let at = 0; at < blocks; at += blocksAtOnce)
      for (const sent of createBlocks('transfers', senders, Math.min(blocksAtOnce, blocks - at), {
        recipients,
        firstNonce: at,
      }))
        await own.run(sent)
  } finally {
    await own.close()
  }
}
