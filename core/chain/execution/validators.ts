import type { Address } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import { setBounded } from '../../collections/boundedMap.ts'
import type { ChainConfiguration, QbftParameters } from '../../genesis/configuration.ts'
import { rulesAt } from '../../genesis/forkSchedule.ts'
import { type QbftConsensus, selectionAt, validatorOverrideAt } from '../../genesis/qbftSchedule.ts'
import type { ChainStore } from '../../store/store.ts'
import { isEpochBlock, tallyAfter, tallyOrigin, votingBlock } from '../../validators/tally.ts'
import { contractValidators } from '../../validators/validatorContract.ts'
import { newTally, sortValidators, type VoteTally } from '../../validators/votes.ts'
import { extraDataOf } from '../../block/codec/extraData.ts'
import { blockEnvironment } from './environment.ts'
import { ChainError } from '../error.ts'
import type { Header } from '../../block/header.ts'
import { callValidatorContract } from './contractCall.ts'

/**
 * Tallies and contract results that are cached, as in Besu. A miss counts from the last epoch block, or calls the contract.
 */
const KEPT_MAX = 100

/** The validators of a chain, by block. */
export type Validators = {
  /** The set that governs block `number` (head + 1 at most), ascending. */
  readonly validators: (number: bigint) => Promise<readonly Address[]>
  /** The set that block `number` names: the list of its extraData in its order, or the contract's result after it. */
  readonly namedBy: (number: bigint) => Promise<readonly Address[]>
  /** The votes after block `number`; undefined when a contract selects the validators of the next block. */
  readonly voteTally: (number: bigint) => Promise<VoteTally | undefined>
  /** Removes the cached results of blocks above this one, which are no longer on the chain. */
  readonly discardAbove: (number: bigint) => void
}

/** The validators of a chain that is not QBFT. */
export const NO_VALIDATORS: Validators = {
  validators: () => Promise.resolve([]),
  namedBy: () => Promise.resolve([]),
  voteTally: () => Promise.resolve(undefined),
  discardAbove: () => undefined,
}

/** The reads of the store that determine the validators. */
type Reads = Pick<ChainStore, 'header' | 'recentHash' | 'run' | 'stateAt' | 'forkBlock'>

/** The state. Results are cached by block number; a rewind of the chain removes those of its removed blocks. */
type ValidatorsState = {
  readonly configuration: ChainConfiguration
  readonly consensus: QbftConsensus
  readonly store: Reads
  /** The validators of the genesis block, which continue a forked network. */
  readonly first: readonly Address[]
  readonly tallies: Map<bigint, VoteTally>
  /** Results of contracts by block and contract. */
  readonly contractSets: Map<string, readonly Address[]>
}

const headerAt = async ({ store }: ValidatorsState, number: bigint): Promise<Header> => {
  const header = await store.header(number)
  if (header === undefined)
    throw new ChainError('NO_SUCH_BLOCK', `block ${number} is not on the chain: its validators are not known`)
  return header
}

const listedIn = (header: Header): readonly Address[] => extraDataOf(header).validators

/** The last cached tally at or before block `number`, or the tally of the origin; and the next block to count. */
const tallyBefore = async (
  state: ValidatorsState,
  number: bigint,
): Promise<{ tally: VoteTally; next: bigint }> => {
  const { consensus, tallies } = state
  const origin = tallyOrigin(consensus, number)
  let last: bigint | undefined
  for (const known of tallies.keys())
    if (known >= origin.block && known <= number && (last === undefined || known > last)) last = known
  const tally = last === undefined ? undefined : tallies.get(last)
  if (last !== undefined && tally !== undefined) return { tally, next: last + 1n }
  const forkBlock = state.store.forkBlock?.()
  if (forkBlock !== undefined && origin.block <= forkBlock)
    return { tally: newTally(state.first), next: forkBlock + 1n }
  const listed = origin.validators ?? listedIn(await headerAt(state, origin.block))
  return { tally: newTally(listed), next: origin.block }
}

const tallyAt = async (state: ValidatorsState, number: bigint): Promise<VoteTally> => {
  const { consensus, tallies } = state
  let { tally, next } = await tallyBefore(state, number)
  for (; next <= number; next++)
    tally = tallyAfter(consensus, tally, votingBlock(await headerAt(state, next)))
  setBounded(tallies, number, tally, KEPT_MAX)
  return tally
}

/**
 * The set by votes. Only a counted vote or a transition changes the parent's list, so in most cases no other header of the
 * epoch is read.
 */
const votedSet = async (state: ValidatorsState, number: bigint): Promise<readonly Address[]> => {
  const { consensus, store } = state
  const forkBlock = store.forkBlock?.()
  if (forkBlock !== undefined && number <= forkBlock + 1n) return sortValidators(state.first)
  if (number === 0n) return sortValidators(listedIn(await headerAt(state, 0n)))
  const parent = await headerAt(state, number - 1n)
  const { validators, vote } = extraDataOf(parent)
  const changes =
    validatorOverrideAt(consensus, number) !== undefined ||
    (vote !== undefined && !isEpochBlock(consensus, parent.number))
  return changes ? (await tallyAt(state, parent.number)).validators : sortValidators(validators)
}

/** The contract's result on the state after block `number`. */
const contractSet = async (
  state: ValidatorsState,
  number: bigint,
  contract: Address,
): Promise<readonly Address[]> => {
  const { configuration, store, contractSets } = state
  const key = `${number} ${toBareHex(contract)}`
  const known = contractSets.get(key)
  if (known !== undefined) return known
  const header = await headerAt(state, number)
  const rules = rulesAt(configuration, number, header.timestamp)
  const environment = blockEnvironment(configuration, rules, header, past => store.recentHash(past))
  const validators = await store.run(() =>
    contractValidators(contract, (to, data) =>
      callValidatorContract(environment, store.stateAt(number), to, data),
    ),
  )
  setBounded(contractSets, key, validators, KEPT_MAX)
  return validators
}

/** Where the validators of block `number` come from. @param timeOf the block whose time counts; as in Besu, the parent */
const selectionOf = async (
  state: ValidatorsState,
  number: bigint,
  timeOf = number === 0n ? 0n : number - 1n,
): Promise<QbftParameters['validatorSelection']> => {
  const { consensus } = state
  if (consensus.besuTimesFrom === undefined) return selectionAt(consensus, number, 0n)
  return selectionAt(consensus, number, (await headerAt(state, timeOf)).timestamp)
}

/** The validators of a QBFT chain. @param genesis the header of its genesis block; only a forked chain needs it */
export const createValidators = (
  configuration: ChainConfiguration,
  consensus: QbftConsensus,
  store: Reads,
  genesis?: Pick<Header, 'extraData' | 'number'>,
): Validators => {
  const state: ValidatorsState = {
    configuration,
    consensus,
    store,
    first: genesis === undefined ? [] : extraDataOf(genesis).validators,
    tallies: new Map(),
    contractSets: new Map(),
  }
  return {
    validators: async number => {
      const selection = await selectionOf(state, number)
      if (selection.mode === 'blockheader') return votedSet(state, number)
      return contractSet(state, number === 0n ? 0n : number - 1n, selection.address)
    },
    namedBy: async number => {
      const selection = await selectionOf(state, number, number)
      if (selection.mode === 'contract') return contractSet(state, number, selection.address)
      // The header of another network need not name validators.
      if (number <= (store.forkBlock?.() ?? -1n)) return state.first
      return listedIn(await headerAt(state, number))
    },
    voteTally: async number =>
      (await selectionOf(state, number + 1n)).mode === 'contract' ? undefined : tallyAt(state, number),
    discardAbove: number => {
      for (const known of state.tallies.keys()) if (known > number) state.tallies.delete(known)
      state.contractSets.clear()
    },
  }
}
