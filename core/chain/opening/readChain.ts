import type { ChainConfiguration } from '../../genesis/configuration.ts'
import type { ChainHead, ChainStore } from '../../store/store.ts'
import { refuseWrite } from '../../store/replica/errors.ts'
import type { Chain } from '../chain.ts'
import { ChainError } from '../error.ts'
import { createValidators, NO_VALIDATORS } from '../execution/validators.ts'

/** A chain at one head over a read-only store: it serves reads, and its head never changes. */
export const createReadChain = (
  configuration: ChainConfiguration,
  genesis: ChainHead,
  store: ChainStore,
): Chain => {
  const head = store.head()
  if (head === undefined) throw new ChainError('NO_SUCH_BLOCK', 'the replica has no block')
  const { consensus } = configuration
  const { number } = head.header
  const { validators, namedBy, voteTally } =
    consensus.kind === 'qbft' ? createValidators(configuration, consensus, store) : NO_VALIDATORS
  return {
    configuration,
    store,
    genesis,
    head: () => head,
    importBlock: refuseWrite,
    buildBlock: refuseWrite,
    verifyBlock: refuseWrite,
    commitBuilt: refuseWrite,
    repairBlock: refuseWrite,
    validators,
    validatorsNamedBy: namedBy,
    voteTally: () => voteTally(number),
    onHead: () => () => undefined,
  }
}
