import type { Chain, Rewinding } from '../../../core/chain/chain.ts'
import type { PoolHead, TransactionPool } from '../../../core/txpool/pool.ts'
import type { RpcDevelopment } from '../../../handlers/rpc/development/development.ts'
import type { Submit } from '../pool/submit.ts'
import type { DevelopmentChains } from './chains.ts'
import type { Clock } from './clock.ts'
import type { HeaderChoices } from './headerChoice.ts'
import type { Miner } from './miner.ts'
import type { Snapshots } from './snapshots.ts'

export type DevelopmentOptions = {
  readonly chain: Chain
  readonly rewinding: Rewinding
  readonly chains: DevelopmentChains
  readonly pool: TransactionPool
  readonly submit: Submit
  /** The pool's rules for the block after the current head. */
  readonly poolHead: () => PoolHead
  readonly miner: Miner
  readonly snapshots: Snapshots
  readonly clock: Clock
  readonly headers: HeaderChoices
  /** Sets the minimum gas price of blocks to that of the options. */
  readonly resetPrice: () => void
  readonly console: RpcDevelopment['console']
  readonly setLogging: (isOn: boolean) => void
  /** Why this chain cannot be rewound or edited, because other nodes follow it; undefined if it can. */
  readonly refusal: string | undefined
}
