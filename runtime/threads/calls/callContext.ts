import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { recoverHere } from '../../../core/chain/importing/validation.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import type { TransactionPool } from '../../../core/txpool/pool.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import type { FilterRegistry } from '../../../handlers/rpc/filters/registry.ts'
import type { GasPriceOracle } from '../../../handlers/rpc/fees/gasPrice.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import type { CallWorkerSetup } from './protocol.ts'
import { keepCompressed } from './compressedJson.ts'
import { REFUSING, refuse } from './refuse.ts'

/** All groups: the main thread has checked the method against the list of the port. */
const ALL_GROUPS: readonly string[] = [...new Set(METHODS.map(({ group }) => group))]

/** The context of methods on a call worker: read access to the chain and the options; all other parts throw. */
export const createCallContext = (
  { configuration, options }: Pick<CallWorkerSetup, 'configuration' | 'options'>,
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
    scheduler: requestScheduler(),
    recoverSenders: recoverHere,
    reportError,
    pool: REFUSING as TransactionPool,
    filters: REFUSING as FilterRegistry,
    gasPrice: REFUSING as GasPriceOracle,
    network: undefined,
    votes: undefined,
    randomBytes: refuse,
    keep: keepCompressed,
    submit: refuse,
    mining: refuse,
    syncing: refuse,
    differences: refuse,
    warn: refuse,
  }
}
