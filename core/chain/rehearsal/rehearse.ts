import { type Address, equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import type { Block } from '../../block/block.ts'
import { maxBigint } from '../../bytes/integer.ts'
import type { RecoveredTransaction } from '../../block/transaction.ts'
import { extraDataOf } from '../../block/codec/extraData.ts'
import { qbftOfBlock } from '../../genesis/qbftSchedule.ts'
import type { BlockRecord, ChainHead, ChainStore } from '../../store/store.ts'
import { ValidatorContractError } from '../../validators/validatorContract.ts'
import { includesAddress } from '../../validators/votes.ts'
import { createProducer } from '../building/producing.ts'
import type { BuildOptions, BuiltBlock, Chain } from '../chain.ts'
import { ChainError } from '../error.ts'
import { createValidators } from '../execution/validators.ts'
import { executeChecked } from '../importing/importing.ts'
import { type ChainContext, checkHeader, headerContext } from '../importing/validation.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import { spacingSeconds } from '../rules/qbft.ts'
import { createPastStores } from './pastStore.ts'
import { hasPlan, planMovedTo } from './plan.ts'

/** Maximum blocks of a rehearsal: each executes twice, on a trie that undoes all blocks after it. */
const REHEARSED_BLOCKS_MAX = 1_024n

/** What happens to one block of the chain as the first block under the planned rules. */
export type RehearsedBlock = {
  readonly number: bigint
  /** The rule that the block violates as it is, with the expected and the found value; undefined if it stays valid. */
  readonly violation: InvalidBlock | undefined
  /** Why no validator could build a block in its place; undefined if one can. */
  readonly obstacle: string | undefined
  /** How a block with the same transactions differs, apart from the header fields that the rules add. */
  readonly differences: readonly string[]
}

type RehearsalOptions = Pick<
  ChainContext,
  'recoverSenders' | 'pause' | 'isPauseDue' | 'executionBytesMax'
> & {
  /** A chain whose store has no other writer, with the planned configuration. */
  readonly chain: Pick<Chain, 'configuration' | 'store' | 'genesis' | 'head'>
}

/** The chain at `parent`, with the plan in effect from the next block on. */
const contextAt = (
  { chain, ...options }: RehearsalOptions,
  store: ChainStore,
  number: bigint,
  timestamp: bigint,
): ChainContext => {
  const configuration = planMovedTo(chain.configuration, chain.head().header, { number, timestamp })
  const { consensus } = configuration
  if (consensus.kind !== 'qbft')
    throw new ChainError('MAKES_NO_BLOCKS', 'this chain is not QBFT: it imports blocks and builds none')
  const { validators } = createValidators(configuration, consensus, store)
  return { ...options, configuration, store, genesis: chain.genesis, validators, editsAfter: () => undefined }
}

/** Checks a block under the current rules. */
const violationOf = async (
  context: ChainContext,
  parent: ChainHead,
  block: Block,
): Promise<InvalidBlock | undefined> => {
  try {
    const headers = headerContext(context, block.header, parent, Number.MAX_SAFE_INTEGER)
    ancestry(headers)
    await checkHeader(context, headers)
    await executeChecked(context, parent, block, headers)
    return undefined
  } catch (error) {
    if (error instanceof InvalidBlock) return error
    throw error
  }
}

/** The block's transactions in order, without the later ones of a skipped sender. */
const candidatesOf = ({ block, senders }: BlockRecord): BuildOptions['candidates'] => {
  const skipped = new Set<string>()
  let index = 0
  return {
    next: () => {
      for (;;) {
        const transaction = block.transactions[index]
        if (transaction === undefined) return undefined
        const sender = senders[index++] as Address
        if (!skipped.has(toHex(sender))) return { transaction, sender }
      }
    },
    skip: sender => void skipped.add(toHex(sender)),
  }
}

const buildOptionsOf = (
  context: ChainContext,
  parent: ChainHead,
  record: BlockRecord,
  coinbase: Address,
): BuildOptions => {
  const { header } = record.block
  const { consensus } = context.configuration
  if (consensus.kind !== 'qbft') throw new ChainError('MAKES_NO_BLOCKS', 'this chain is not QBFT')
  const parameters = qbftOfBlock(consensus, header, parent.header)
  const { vanity, vote } = extraDataOf(header)
  return {
    coinbase,
    timestamp: maxBigint(header.timestamp, parent.header.timestamp + BigInt(spacingSeconds(parameters))),
    targetGasLimit: header.gasLimit,
    vanity,
    minGasPrice: 0n,
    round: 0,
    vote: parameters.validatorSelection.mode === 'contract' ? undefined : vote,
    candidates: candidatesOf(record),
    full: () => false,
  }
}

const reasonOf = ({ transaction }: RecoveredTransaction, { rejected, block }: BuiltBlock): string => {
  const reason = rejected.find(({ transaction: other }) => other.transaction === transaction)?.reason
  if (reason !== undefined) return reason
  const { baseFeePerGas = 0n, gasLimit } = block.header
  if (transaction.maxFeePerGas < baseFeePerGas)
    return `it pays at most ${transaction.maxFeePerGas} wei for gas, and the base fee is ${baseFeePerGas}`
  if (transaction.gasLimit > gasLimit) return `its gas limit is above that of the block, ${gasLimit}`
  return 'an earlier transaction of its sender is not taken, or the gas of the block is used up'
}

const outcomeText = (status: boolean | undefined): string => (status === false ? 'fails' : 'succeeds')

const differencesOf = (record: BlockRecord, built: BuiltBlock): readonly string[] => {
  const { block, senders, receipts } = record
  const places = new Map(built.block.transactions.map((transaction, index) => [transaction, index]))
  const differences = block.transactions.flatMap((transaction, index): readonly string[] => {
    const name = `transaction ${index} (from ${toHex(senders[index] as Address)})`
    const place = places.get(transaction)
    if (place === undefined)
      return [`${name} is not taken: ${reasonOf({ transaction, sender: senders[index] as Address }, built)}`]
    const [before, after] = [receipts[index], built.receipts[place]]
    if (before === undefined || after === undefined) return []
    if (before.status !== after.status)
      return [`${name} ${outcomeText(after.status)}; on the chain it ${outcomeText(before.status)}`]
    if (before.gasUsed !== after.gasUsed)
      return [`${name} uses ${after.gasUsed} gas instead of ${before.gasUsed}`]
    return []
  })
  const isSameState = equalBytes(built.block.header.stateRoot, block.header.stateRoot)
  return differences.length > 0 || isSameState ? differences : ['the state after it differs']
}

const NO_VALIDATORS = 'no validator would be left'

const rehearseBlock = async (
  rehearsal: RehearsalOptions,
  store: ChainStore,
  parent: ChainHead,
  record: BlockRecord,
): Promise<RehearsedBlock> => {
  const { number, timestamp } = record.block.header
  const context = contextAt(rehearsal, store, number, timestamp)
  const result = { number, violation: undefined, obstacle: undefined, differences: [] }
  try {
    const validators = await context.validators(number)
    const [first] = validators
    if (first === undefined) return { ...result, obstacle: NO_VALIDATORS }
    const violation = await violationOf(context, parent, record.block)
    if (violation === undefined) return result
    const proposer = includesAddress(validators, record.block.header.coinbase)
      ? record.block.header.coinbase
      : first
    const options = buildOptionsOf(context, parent, record, proposer)
    const built = await createProducer(context).build(parent, options)
    return { ...result, violation, differences: differencesOf(record, built) }
  } catch (error) {
    if (error instanceof InvalidBlock || error instanceof ValidatorContractError)
      return { ...result, obstacle: error.message }
    throw error
  }
}

const found = <T>(value: T | undefined, number: bigint): T => {
  if (value === undefined) throw new ChainError('NO_SUCH_BLOCK', `block ${number} is not in the store`)
  return value
}

/**
 * Replays the blocks from the head down to `first`, each as the first block under the transitions and forks that the
 * configuration has after the head: checks the block as it is, and where a rule refuses it builds one from the same
 * transactions. Writes nothing.
 * @throws ChainError without a plan, for a range that is too long or not on the chain, or on a chain that is not QBFT
 */
export const rehearse = async function* (
  options: RehearsalOptions,
  first: bigint,
): AsyncGenerator<RehearsedBlock> {
  const { store, configuration } = options.chain
  const head = options.chain.head()
  const last = head.header.number
  if (!hasPlan(configuration, head.header))
    throw new ChainError(
      'UNSUPPORTED',
      `the genesis file has no transition or fork after the head, block ${last}: there is nothing to rehearse`,
    )
  if (first < 1n || first > last)
    throw new ChainError('NO_SUCH_BLOCK', `block ${first} is not on the chain: the blocks are 1 to ${last}`)
  if (last - first >= REHEARSED_BLOCKS_MAX)
    throw new ChainError(
      'UNSUPPORTED',
      `more than ${REHEARSED_BLOCKS_MAX} blocks: begin at ${last - REHEARSED_BLOCKS_MAX + 1n} or later`,
    )
  const past = createPastStores(store, head)
  for (let number = last; number >= first; number--) {
    const parent = found(await store.chainHead(number - 1n), number - 1n)
    const record = found(await store.record(number), number)
    yield await rehearseBlock(options, await past.before(parent), parent, record)
  }
}
