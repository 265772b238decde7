import type { Chain } from '../../../core/chain/chain.ts'
import { recoverHere } from '../../../core/chain/validation.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import type { FilterRegistry } from '../../../handlers/rpc/filters/registry.ts'
import type { GasPriceOracle } from '../../../handlers/rpc/fees/gasPrice.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import type { ReaderSetup } from './protocol.ts'
import { keepPacked } from './packed.ts'
import { REFUSING, refuse } from './refuse.ts'

/** The main thread has looked whether the method is served, each port by its own list. */
const ALL_GROUPS: readonly string[] = [...new Set(METHODS.map(({ group }) => group))]

/** What methods get on a reader: the chain to read and the options; the rest of the node refuses. */
export const createReaderContext = (
  { configuration, options }: Pick<ReaderSetup, 'configuration' | 'options'>,
  genesis: ChainHead,
  store: ChainStore,
  head: () => ChainHead,
  minGasPrice: () => bigint,
  reportError: RpcContext['reportError'],
): RpcContext => {
  const chain: Chain = {
    configuration,
    store,
    genesis,
    head,
    importBlock: refuse,
    repairBlock: refuse,
    buildBlock: refuse,
    verifyBlock: refuse,
    commitBuilt: refuse,
    validators: refuse,
    validatorsNamedBy: refuse,
    voteTally: refuse,
    onHead: refuse,
  }
  return {
    chain,
    options: {
      ...options,
      apis: ALL_GROUPS,
      get minGasPrice() {
        return minGasPrice()
      },
    },
    nowMs: () => Date.now(),
    recoverSenders: recoverHere,
    reportError,
    pool: REFUSING as TransactionPool,
    filters: REFUSING as FilterRegistry,
    gasPrice: REFUSING as GasPriceOracle,
    network: undefined,
    votes: undefined,
    randomBytes: refuse,
    keep: keepPacked,
    submit: refuse,
    mining: refuse,
    syncing: refuse,
    differences: refuse,
    warn: refuse,
  }
}
