import { type Address, equalBytes, type Hash } from '../bytes/bytes.ts'
import { toHex } from '../bytes/hex.ts'
import type { Header } from '../block/header.ts'
import { extraDataOf } from '../block/codec/extraData.ts'
import { isEpochBlock, tallyAfter, tallyOrigin, votingBlock } from '../validators/tally.ts'
import { newTally, sortValidators } from '../validators/votes.ts'
import { type QbftConsensus, selectionAt, validatorOverrideAt } from '../genesis/qbftSchedule.ts'
import { createLinkedHeaders, readHeader, type ReadHeaders, untrustedHash } from './linkedHeaders.ts'
import { NotProved } from './notProved.ts'
import { isSealedBy, listsValidators, verifySealedHeader } from './sealedHeader.ts'

/**
 * A trusted block, and the validators with which later blocks are verified: those that sealed it. A change by its own vote
 * is applied when the next header shows it.
 */
export type TrustedBlock = { readonly header: Header; readonly validators: readonly Address[] }

/** Calls the validator contract on the proved state after a trusted block. */
export type ProvedContractCall = (header: Header) => Promise<readonly Address[]>

export type TrustedChainOptions = {
  readonly consensus: QbftConsensus
  /** Reads headers of an untrusted source. */
  readonly read: ReadHeaders
  /** Used for blocks whose validators a contract selects. */
  readonly callContract: ProvedContractCall
  /** Called with the block after which each followed set of validators governs. */
  readonly onChange?: (trusted: TrustedBlock) => void
}

/** Changes of the validator set that one call of `trustHeader` follows; beyond it, use a later checkpoint. */
const CHANGES_MAX = 1_000

/** True when a contract selects the validators of the block after a trusted one. */
const isContractAfter = ({ consensus }: TrustedChainOptions, { number, timestamp }: Header): boolean =>
  selectionAt(consensus, number + 1n, timestamp).mode === 'contract'

/** True when a contract selected the validators of this block. Where that depends on the time of its parent, it lists none. */
const isByContract = ({ consensus }: TrustedChainOptions, header: Header): boolean =>
  consensus.besuTimesFrom === undefined
    ? selectionAt(consensus, header.number, 0n).mode === 'contract'
    : listedIn(header).length === 0

const listedIn = (header: Header): readonly Address[] => extraDataOf(header).validators

/**
 * The validators of the block after a trusted one, by votes. Usually those that it lists: only a vote or a transition
 * changes them, and then the votes since the last epoch block are counted.
 */
const votedAfter = async (
  { consensus, read }: TrustedChainOptions,
  header: Header,
): Promise<readonly Address[]> => {
  const { number } = header
  const { validators, vote } = extraDataOf(header)
  const isCounted = vote !== undefined && !isEpochBlock(consensus, number)
  if (!isCounted && validatorOverrideAt(consensus, number + 1n) === undefined)
    return sortValidators(validators)
  const origin = tallyOrigin(consensus, number)
  const linked = createLinkedHeaders(consensus, header, read)
  let tally = newTally(origin.validators ?? listedIn(await linked.header(origin.block)))
  for (let next = origin.block; next <= number; next++)
    tally = tallyAfter(consensus, tally, votingBlock(await linked.header(next)))
  return tally.validators
}

/** The validators of the block after a trusted one: by its votes, which its ancestors prove, or by the contract. */
const validatorsAfter = (options: TrustedChainOptions, header: Header): Promise<readonly Address[]> =>
  isContractAfter(options, header) ? options.callContract(header) : votedAfter(options, header)

/** Trusts the block with the hash of a checkpoint. @throws NotProved when the source has another block */
export const trustCheckpoint = async (
  options: TrustedChainOptions,
  number: bigint,
  hash: Hash,
): Promise<TrustedBlock> => {
  const [header] = await options.read([Number(number)])
  const found = header === undefined ? undefined : untrustedHash(options.consensus, header)
  if (header?.number !== number || found === undefined || !equalBytes(found, hash))
    throw new NotProved(`the trusted block ${number}`, `the source has no block ${toHex(hash)}`)
  return { header, validators: await validatorsAfter(options, header) }
}

/** Trusts block 0, which the genesis file determines. */
export const trustGenesis = async (options: TrustedChainOptions, header: Header): Promise<TrustedBlock> => ({
  header,
  validators: await validatorsAfter(options, header),
})

/** True when the trusted validators govern this header: it lists them, or, in contract mode, they sealed it. */
const isGovernedBy = (
  options: TrustedChainOptions,
  header: Header,
  validators: readonly Address[],
): boolean =>
  isByContract(options, header) ? isSealedBy(header, validators) : listsValidators(header, validators)

/** The last header before `end` that the trusted validators govern, found by binary search. */
const lastOf = async (options: TrustedChainOptions, trusted: TrustedBlock, end: bigint): Promise<Header> => {
  let low = Number(trusted.header.number)
  let high = Number(end)
  let found = trusted.header
  while (high - low > 1) {
    const middle = (low + high) >> 1
    const header = await readHeader(options.read, middle)
    if (isGovernedBy(options, header, trusted.validators)) {
      low = middle
      found = header
    } else high = middle
  }
  return found
}

/** Trusts a header that the trusted validators sealed. @throws InvalidBlock without a quorum of their seals */
const trustSealed = async (
  options: TrustedChainOptions,
  { validators }: TrustedBlock,
  header: Header,
): Promise<TrustedBlock> => {
  verifySealedHeader(header, validators)
  const next = header.number + 1n
  const isContract = isContractAfter(options, header)
  const mayChange =
    isContract || validatorOverrideAt(options.consensus, next) !== undefined || isByContract(options, header)
  return { header, validators: mayChange ? await validatorsAfter(options, header) : validators }
}

/**
 * Follows the validators from a trusted block to those that govern a later header, whose seals are not verified yet.
 * @throws NotProved, InvalidBlock
 */
const followTo = async (
  options: TrustedChainOptions,
  start: TrustedBlock,
  header: Header,
): Promise<TrustedBlock> => {
  let trusted = start
  for (let changes = 0; changes <= CHANGES_MAX; changes++) {
    if (isGovernedBy(options, header, trusted.validators)) return trusted
    const last = await lastOf(options, trusted, header.number)
    if (last.number > trusted.header.number) verifySealedHeader(last, trusted.validators)
    const validators = await validatorsAfter(options, last)
    const isSame =
      last.number === trusted.header.number &&
      validators.length === trusted.validators.length &&
      validators.every((address, index) => equalBytes(address, trusted.validators[index] as Address))
    // The next header is not governed by the elected validators.
    if (isSame) throw new NotProved(`block ${last.number + 1n}`, 'its validators are not the elected ones')
    trusted = { header: last, validators }
    options.onChange?.(trusted)
  }
  throw new NotProved(
    `block ${header.number}`,
    `the validators changed more than ${CHANGES_MAX} times before it`,
  )
}

/**
 * Follows the validators from a trusted block to a later header, and verifies that a quorum of its validators sealed it.
 * Headers in between are read only where the set changes: the votes are then counted again from proved headers, or the
 * contract is called on the proved state.
 * @throws NotProved, InvalidBlock
 */
export const trustHeader = async (
  options: TrustedChainOptions,
  start: TrustedBlock,
  header: Header,
): Promise<TrustedBlock> => {
  if (header.number < start.header.number)
    throw new NotProved(`block ${header.number}`, `it is before the trusted block ${start.header.number}`)
  return trustSealed(options, await followTo(options, start, header), header)
}

/**
 * As `trustHeader`, for a header whose next validators are not needed: it has those of its own time, so that neither its
 * state nor the headers up to the head are read.
 * @throws NotProved, InvalidBlock
 */
export const verifyGoverned = async (
  options: TrustedChainOptions,
  start: TrustedBlock,
  header: Header,
): Promise<void> => {
  verifySealedHeader(header, (await followTo(options, start, header)).validators)
}
