import type { ChainConfiguration, ForkActivation, Rules } from './configuration.ts'
import { type ForkName, forkIsAtLeast } from './fork.ts'
import { qbftAt } from './qbftSchedule.ts'

type Steps = {
  /** The rules of each entry of `configuration.forks`. */
  readonly rules: readonly Rules[]
  /** The rules while none of these is active. */
  readonly frontier: Rules
  /** The rules after the merge of a proof-of-work chain, while no later step is active. */
  readonly paris: Rules
}

/** EIP-7825. */
const TRANSACTION_GAS_MAX = 2n ** 24n

/** Steps by the transaction gas limit of the QBFT options; undefined if they set none. */
type StepsByLimit = Map<bigint | undefined, Steps>

const stepsOfConfiguration: WeakMap<ChainConfiguration, StepsByLimit> = new WeakMap()

/** Gas limit of one transaction. @param limit the limit of the QBFT options, 0 for none */
export const transactionGasMaxOf = (fork: ForkName, limit?: bigint): bigint | undefined => {
  if (limit !== undefined) return limit === 0n ? undefined : limit
  return forkIsAtLeast(fork, 'osaka') ? TRANSACTION_GAS_MAX : undefined
}

const makeSteps = (configuration: ChainConfiguration, limit: bigint | undefined): Steps => {
  const rules = ({ fork, blob }: Pick<ForkActivation, 'fork' | 'blob'>): Rules => ({
    fork,
    chainId: configuration.chainId,
    blob,
    codeSizeMax: configuration.codeSizeMax,
    stackItemsMax: configuration.stackItemsMax,
    transactionGasMax: transactionGasMaxOf(fork, limit),
    ...(configuration.contractsMaySend === true ? { contractsMaySend: true } : {}),
  })
  return {
    rules: configuration.forks.map(rules),
    frontier: rules({ fork: 'frontier', blob: undefined }),
    paris: rules({ fork: 'paris', blob: undefined }),
  }
}

const stepsOf = (configuration: ChainConfiguration, number: bigint, timestamp: bigint): Steps => {
  const { consensus } = configuration
  const limit = consensus.kind === 'qbft' ? qbftAt(consensus, number, timestamp).perTxGasLimit : undefined
  let byLimit = stepsOfConfiguration.get(configuration)
  if (byLimit === undefined) {
    byLimit = new Map()
    stepsOfConfiguration.set(configuration, byLimit)
  }
  const known = byLimit.get(limit)
  if (known !== undefined) return known
  const made = makeSteps(configuration, limit)
  byLimit.set(limit, made)
  return made
}

/** True when the step is active at this block number and timestamp. */
const isActiveAt = (step: ForkActivation, number: bigint, timestamp: bigint): boolean =>
  step.at.kind === 'block' ? number >= step.at.number : timestamp >= step.at.timestamp

/**
 * The rules at a block. The same step under the same QBFT options gives the same object, so values derived from rules can
 * be cached by identity. The latest active step applies; a time fork therefore includes every earlier fork, London and
 * Paris too.
 *
 * The end of proof of work is not in a schedule: the block's `difficulty` is zero from Paris on and never before
 * (EIP-3675). Pass it for chains that are not QBFT; without it Paris starts at `mergeNetsplitBlock`.
 */
export const rulesAt = (
  configuration: ChainConfiguration,
  number: bigint,
  timestamp: bigint,
  difficulty?: bigint,
): Rules => {
  const steps = stepsOf(configuration, number, timestamp)
  const usesDifficulty = difficulty !== undefined && configuration.consensus.kind === 'ethash'
  const isWork = usesDifficulty && difficulty > 0n
  let active = steps.frontier
  for (let index = configuration.forks.length - 1; index >= 0; index--) {
    const step = configuration.forks[index] as ForkActivation
    if ((isWork && step.fork === 'paris') || !isActiveAt(step, number, timestamp)) continue
    active = steps.rules[index] as Rules
    break
  }
  return usesDifficulty && !isWork && !forkIsAtLeast(active.fork, 'paris') ? steps.paris : active
}
