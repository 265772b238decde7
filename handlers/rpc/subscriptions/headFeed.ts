import type { CreateYield } from '../../../core/scheduler.ts'
import type { BlockRecord } from '../../../core/store/store.ts'
import type { RpcHost } from '../context.ts'
import type { Rewound } from '../development/development.ts'
import { hasBeaconChain } from '../parameters/finality.ts'
import { blockShape } from '../shapes/block.ts'
import { blockPieces, STEP_ELEMENTS } from '../shapes/pieces.ts'
import { type BlockLoopHost, createBlockLoop } from './blockLoop.ts'
import { createGroup } from './groups.ts'
import type { Listener } from './lanes.ts'

/** Notifies listeners of committed blocks, in order, and never waits for the logs of a block. */
export type HeadFeed = {
  listen(includeTransactions: boolean, listener: Listener): () => void
  rewind(rewound: Rewound): void
}

type BlockOptions = { readonly fullTransactions: boolean; readonly totalDifficulty: boolean }

const headText = async (
  record: BlockRecord,
  options: BlockOptions,
  createYield: CreateYield,
): Promise<string> => {
  if (record.block.transactions.length <= STEP_ELEMENTS) return JSON.stringify(blockShape(record, options))
  return (await blockPieces(record, options, { yieldTurn: createYield(), keep: undefined })).text
}

export const createHeadFeed = (host: BlockLoopHost & Pick<RpcHost, 'scheduler'>): HeadFeed => {
  const { chain } = host
  const { createYield } = host.scheduler
  // The form of eth_getBlockByNumber.
  const totalDifficulty = !hasBeaconChain(chain.configuration)
  // The short form first: the other one may take long.
  const groups = [false, true].map(fullTransactions => ({
    options: { fullTransactions, totalDifficulty },
    group: createGroup('prompt'),
  }))
  const loop = createBlockLoop(
    host,
    () => groups.some(({ group }) => group.size > 0),
    async ({ record, event, removed }) => {
      if (removed) return
      for (const { group, options } of groups)
        if (group.size > 0) group.put([await headText(record, options, createYield)], event)
    },
  )
  return {
    listen: (includeTransactions, listener) => {
      const since = loop.start()
      const remove = groups
        .find(({ options }) => options.fullTransactions === includeTransactions)
        ?.group.add(listener, since)
      return () => {
        remove?.()
        loop.stopIfIdle()
      }
    },
    rewind: rewound => loop.rewind(rewound),
  }
}
