import type { Address } from '../../bytes/bytes.ts'
import { toBareHex } from '../../bytes/hex.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import { type QbftConsensus, qbftAt, rulesAt, validatorOverrideAt } from '../../genesis/schedule.ts'
import type { ChainStore } from '../../store/store.ts'
import { isEpochBlock, tallyAfter, tallyOrigin, votingBlock } from '../../validators/tally.ts'
import { contractValidators } from '../../validators/validatorContract.ts'
import { newTally, sortValidators, type VoteTally } from '../../validators/votes.ts'
import { decodeExtraData } from '../../block/codec/extraData.ts'
import { blockEnvironment } from './environment.ts'
import { ChainError } from '../error.ts'
import type { Header } from '../../block/header.ts'
import { callValidatorContract } from './validatorCall.ts'

/** Tallies and contract results kept, of each as many as Besu keeps; a miss costs a walk from the last epoch block, or one call. */
const KEPT_MAX = 100

/** A map that forgets what was put into it first. */
const boundedMap = <Key, Value>(): {
  readonly entries: Map<Key, Value>
  put(key: Key, value: Value): void
} => {
  const entries = new Map<Key, Value>()
  return {
    entries,
    put(key, value) {
      entries.set(key, value)
      const [oldest] = entries.keys()
      if (entries.size > KEPT_MAX && oldest !== undefined) entries.delete(oldest)
    },
  }
}

/** Who governs the blocks of a chain. */
export type Validators = {
  /** Of block `number`, head + 1 at most, ascending. */
  readonly validators: (number: bigint) => Promise<readonly Address[]>
  /** What block `number` itself says: the list in its extraData as it stands, or what its contract gives after it. */
  readonly namedBy: (number: bigint) => Promise<readonly Address[]>
  /** After block `number`; undefined where a contract governs the next one. */
  readonly voteTally: (number: bigint) => Promise<VoteTally | undefined>
}

/**
 * Who governs each block of a QBFT chain: `validators(number)` gives the set after block `number - 1`, ascending, for
 * blocks up to head + 1. Kept by number, which is safe because the chain under it never changes, only grows.
 */
export const createValidators = (
  configuration: ChainConfiguration,
  consensus: QbftConsensus,
  store: ChainStore,
): Validators => {
  const tallies = boundedMap<bigint, VoteTally>()
  /** By block and contract. */
  const contractSets = boundedMap<string, readonly Address[]>()

  const headerAt = async (number: bigint): Promise<Header> => {
    const header = await store.header(number)
    if (header === undefined)
      throw new ChainError(
        'NO_SUCH_BLOCK',
        `block ${number} is not on the chain: its validators are not known`,
      )
    return header
  }

  /** Where to begin counting: the last tally that is still known, else the origin. */
  const tallyBefore = async (number: bigint): Promise<{ tally: VoteTally; next: bigint }> => {
    const origin = tallyOrigin(consensus, number)
    let last: bigint | undefined
    for (const known of tallies.entries.keys())
      if (known >= origin.block && known <= number && (last === undefined || known > last)) last = known
    const tally = last === undefined ? undefined : tallies.entries.get(last)
    if (last !== undefined && tally !== undefined) return { tally, next: last + 1n }
    const listed = origin.validators ?? decodeExtraData((await headerAt(origin.block)).extraData).validators
    return { tally: newTally(listed), next: origin.block }
  }

  const tallyAt = async (number: bigint): Promise<VoteTally> => {
    let { tally, next } = await tallyBefore(number)
    for (; next <= number; next++) tally = tallyAfter(consensus, tally, votingBlock(await headerAt(next)))
    tallies.put(number, tally)
    return tally
  }

  /**
   * By votes: mostly the parent's own list, since only a vote that counts or a transition can change the set; so a start
   * does not read an epoch's headers.
   */
  const votedSet = async (number: bigint): Promise<readonly Address[]> => {
    if (number === 0n) return sortValidators(decodeExtraData((await headerAt(0n)).extraData).validators)
    const parent = await headerAt(number - 1n)
    const { validators, vote } = decodeExtraData(parent.extraData)
    const changes =
      validatorOverrideAt(consensus, number) !== undefined ||
      (vote !== undefined && !isEpochBlock(consensus, parent.number))
    return changes ? (await tallyAt(parent.number)).validators : sortValidators(validators)
  }

  /** What the contract gives on the state after block `number`. */
  const contractSet = async (number: bigint, contract: Address): Promise<readonly Address[]> => {
    const key = `${number} ${toBareHex(contract)}`
    const known = contractSets.entries.get(key)
    if (known !== undefined) return known
    const header = await headerAt(number)
    const rules = rulesAt(configuration, number, header.timestamp)
    const environment = blockEnvironment(configuration, rules, header, past => store.recentHash(past))
    const validators = await store.run(() =>
      contractValidators(contract, (to, data) =>
        callValidatorContract(environment, store.stateAt(number), to, data),
      ),
    )
    contractSets.put(key, validators)
    return validators
  }

  const selectionAt = (number: bigint) => qbftAt(consensus, number).validatorSelection

  return {
    validators: async number => {
      const selection = selectionAt(number)
      if (selection.mode === 'blockheader') return votedSet(number)
      return contractSet(number === 0n ? 0n : number - 1n, selection.address)
    },
    namedBy: async number => {
      const selection = selectionAt(number)
      if (selection.mode === 'contract') return contractSet(number, selection.address)
      return decodeExtraData((await headerAt(number)).extraData).validators
    },
    voteTally: async number => (selectionAt(number + 1n).mode === 'contract' ? undefined : tallyAt(number)),
  }
}
