import {
  DevelopmentRefused,
  type Rewound,
  type RpcDevelopment,
} from '../../../handlers/rpc/development/development.ts'
import { createAccounts } from './accounts.ts'
import type { DevelopmentOptions } from './developmentOptions.ts'
import { createRewinds } from './rewinds.ts'

/** Methods of a development chain only. */
export const createDevelopment = (options: DevelopmentOptions): RpcDevelopment => {
  const { chain, chains, pool, miner, clock, headers, console, setLogging, refusal } = options
  const listeners: ((rewound: Rewound) => void)[] = []
  const changeListeners: (() => void)[] = []

  const requireFree = (): void => {
    if (refusal !== undefined) throw new DevelopmentRefused(refusal)
  }
  const onRewound = (rewound: Rewound): void => {
    for (const listener of listeners) listener(rewound)
    for (const listener of changeListeners) listener()
  }

  return {
    ...createAccounts(),
    ...createRewinds(options, requireFree, onRewound),
    miner,
    clock,
    console,
    setLogging,
    setHeader: choice => {
      requireFree()
      return miner.alone(async () => {
        await chains.edits.noteHeaders()
        const { coinbase, next } = headers.current()
        headers.set({
          coinbase: 'coinbase' in choice ? choice.coinbase : coinbase,
          next: { ...next, ...choice.next },
        })
      })
    },
    edit: edit => {
      requireFree()
      return miner.alone(async () => {
        if (!(await chains.edits.add(chain.head().header.number, edit)))
          throw new DevelopmentRefused('its state was edited too often; start a new chain')
        await chain.store.run(() => pool.updateSenders([edit.address], options.poolHead()))
        for (const listener of changeListeners) listener()
      })
    },
    onRewind: listener => {
      listeners.push(listener)
    },
    onChange: listener => {
      changeListeners.push(listener)
    },
  }
}
