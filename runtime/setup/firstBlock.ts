import type { Address } from '../../core/bytes/bytes.ts'
import { createValidators } from '../../core/chain/execution/validators.ts'
import { genesisHeadOf } from '../../core/chain/opening/openGenesis.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import type { QbftConsensus } from '../../core/genesis/qbftSchedule.ts'
import type { ChainHead } from '../../core/store/store.ts'
import { ValidatorContractError } from '../../core/validators/validatorContract.ts'
import { createGenesisState } from '../../core/verify/genesisState.ts'
import { validatorSetFault } from '../consensus/inputs/validatorSet.ts'
import { nextBlockCauses } from '../doctor/nextBlock.ts'
import { nextBlockAfter } from '../doctor/nextBlockAfter.ts'
import type { Cause } from '../doctor/nodeReport.ts'

/** The validators of block 1, read from the genesis file alone: a contract is called on its accounts. */
const firstValidators = (
  genesis: Genesis,
  consensus: QbftConsensus,
  { header, hash }: ChainHead,
): Promise<readonly Address[]> => {
  const state = createGenesisState(genesis)
  return createValidators(genesis.configuration, consensus, {
    header: number => Promise.resolve(number === 0n ? header : undefined),
    recentHash: number => (number === 0n ? hash : undefined),
    run: read => Promise.resolve(read()),
    stateAt: () => state,
  }).validators(1n)
}

/** Why these validators cannot decide block 1; undefined where they can. */
const validatorsFault = async (
  genesis: Genesis,
  consensus: QbftConsensus,
  head: ChainHead,
): Promise<string | undefined> => {
  try {
    return validatorSetFault(1n, await firstValidators(genesis, consensus, head))
  } catch (error) {
    if (!(error instanceof ValidatorContractError)) throw error
    return `the validators of block 1 cannot be read: ${error.message}; the contract has to be in alloc, with code that answers getValidators()`
  }
}

/** Why no block can follow the genesis block, as far as the file shows it. */
export const firstBlockCauses = async (genesis: Genesis, nowMs: number): Promise<readonly Cause[]> => {
  const { configuration } = genesis
  const { consensus } = configuration
  const head = genesisHeadOf(genesis)
  const next = nextBlockAfter(configuration, head.header)
  if (consensus.kind !== 'qbft' || next === undefined) return []
  const text = await validatorsFault(genesis, consensus, head)
  const named: readonly Cause[] = text === undefined ? [] : [{ kind: 'no-validators', stops: true, text }]
  return [...named, ...nextBlockCauses(next, nowMs)]
}
