import type { YieldTurn } from '../../scheduler.ts'
import type { Genesis } from '../../genesis/genesis.ts'
import { createEditedStates, type EditedStates } from '../../state/editedState.ts'
import type { EditList } from '../../state/edits.ts'
import { RewindRefused } from '../../store/recovery/rewind.ts'
import type { BlockCommit, ChainHead, ChainStore, Durable, RewindableStore } from '../../store/store.ts'
import type { Block } from '../../block/block.ts'
import type { Header } from '../../block/header.ts'
import type { BuiltBlock, Chain, ImportOptions, RecordImport, Rewinding, VerifyOptions } from '../chain.ts'
import { ChainError } from '../error.ts'
import { validateRecord } from '../importing/importRecord.ts'
import { isKnown, validateBlock } from '../importing/importing.ts'
import { createListeners, type Listeners } from '../listeners.ts'
import { openGenesis } from './openGenesis.ts'
import { createProducer, type Producer } from '../building/producing.ts'
import { type CallQueue, createQueue } from '../importing/queue.ts'
import { ancestry } from '../rules/header.ts'
import { InvalidBlock } from '../rules/invalidBlock.ts'
import {
  type ChainContext,
  checkHeader,
  hashOfHeader,
  headerContext,
  type RecoverSenders,
  recoverHere,
} from '../importing/validation.ts'
import { repairBlock } from '../importing/repairing.ts'
import { EXECUTION_BYTES_MAX } from '../execution/bounds.ts'
import { createValidators, NO_VALIDATORS, type Validators } from '../execution/validators.ts'

export type OpenChainOptions = {
  readonly genesis: Genesis
  /** An empty store, or one with the chain of this genesis. The chain must be its only writer. */
  readonly store: ChainStore & Partial<Pick<RewindableStore, 'rewind'>>
  /** Recovers the senders of an imported block; the default uses this thread. */
  readonly recoverSenders?: RecoverSenders
  /** Resolves when other work has run; awaited between the slices of executing a block. */
  readonly pause?: YieldTurn
  /** Called several times per millisecond of execution: true when execution should pause. Default: always. */
  readonly isPauseDue?: () => boolean
  /** Most memory in bytes of the execution of a block; EXECUTION_BYTES_MAX unless this machine has less. */
  readonly executionBytesMax?: number
  /** Changes to the state after block `number` without a transaction; for development chains. Default none. */
  readonly editsAfter?: (number: bigint) => EditList
  /** Called with the error of a listener; the chain continues. */
  readonly onError: (error: unknown) => void
}

const always = (): boolean => true

const noEdits = (): EditList => undefined

const pauseNever = (): Promise<void> => Promise.resolve()

/**
 * Opens the chain in a store; writes the genesis block to an empty store. Creates no closures, which would keep the
 * accounts of the genesis file in memory as long as the chain.
 * @throws ChainError when the store has another chain, or the genesis file contradicts the chain
 */
export const openChain = async (options: OpenChainOptions): Promise<Chain & Rewinding & RecordImport> => {
  const { store, recoverSenders = recoverHere, pause = pauseNever, isPauseDue = always, onError } = options
  const { executionBytesMax = EXECUTION_BYTES_MAX, editsAfter = noEdits } = options
  const { configuration } = options.genesis
  const genesis = await openGenesis(options.genesis, store)
  return chainOn(
    { configuration, store, genesis, recoverSenders, pause, isPauseDue, executionBytesMax, editsAfter },
    store.rewind,
    onError,
  )
}

type ChainState = {
  readonly context: ChainContext
  readonly validators: Validators
  readonly producer: Producer
  readonly enqueue: CallQueue
  readonly listeners: Listeners<ChainHead>
  readonly rewound: Listeners<ChainHead>
  readonly editedStates: EditedStates
  readonly rewindStore: RewindableStore['rewind'] | undefined
  readonly onError: (error: unknown) => void
  /** The verification of a proposal in progress. */
  verification: { isSuperseded: boolean } | undefined
}

const headOf = ({ context: { store } }: ChainState): ChainHead => {
  const head = store.head()
  if (head === undefined) throw new ChainError('NO_SUCH_BLOCK', 'the store has lost its genesis block')
  return head
}

const commit = async (
  { context: { store }, listeners }: ChainState,
  next: BlockCommit,
  durable: Durable = 'now',
): Promise<void> => {
  await store.commit(next, durable)
  listeners.call({ header: next.block.header, hash: next.hash, totalDifficulty: next.totalDifficulty })
}

/** Ends the verification of a proposal for the height of a block with valid seals. */
const supersedeVerification = async (chain: ChainState, { header }: Block): Promise<void> => {
  const { context, verification } = chain
  if (verification === undefined) return
  const head = headOf(chain)
  if (header.number !== head.header.number + 1n) return
  try {
    const headers = headerContext(context, header, head, Number.MAX_SAFE_INTEGER)
    ancestry(headers)
    await checkHeader(context, headers)
    verification.isSuperseded = true
  } catch (error) {
    // The import that follows reports an invalid block.
    if (!(error instanceof InvalidBlock)) chain.onError(error)
  }
}

const importBlock = async (
  chain: ChainState,
  block: Block,
  options: ImportOptions,
): Promise<'imported' | 'known'> => {
  const next = await validateBlock(chain.context, headOf(chain), block, options)
  if (next === undefined) return 'known'
  await commit(chain, next, options.durable)
  return 'imported'
}

const verifyBlock = async (
  chain: ChainState,
  block: Block,
  { giveUp, ...options }: VerifyOptions,
): Promise<BuiltBlock> => {
  const verification = { isSuperseded: false }
  chain.verification = verification
  try {
    return await chain.producer.verify(headOf(chain), block, {
      ...options,
      giveUp: usage =>
        verification.isSuperseded
          ? 'a block of its height with a quorum of seals has arrived'
          : giveUp?.(usage),
    })
  } finally {
    chain.verification = undefined
  }
}

const commitBuilt = async (
  chain: ChainState,
  built: BuiltBlock,
  header: Header,
  durable: Durable | undefined,
): Promise<'imported' | 'known'> => {
  const { context, producer } = chain
  const hash = hashOfHeader(context.configuration, header)
  if (await isKnown(context, headOf(chain), header.number, hash)) return 'known'
  await commit(chain, await producer.seal(headOf(chain), built, header), durable)
  return 'imported'
}

/** @throws ChainError for a block above `last` */
const requireUpTo = (last: bigint, number: bigint): void => {
  if (number < 0n || number > last)
    throw new ChainError('NO_SUCH_BLOCK', `validators are known up to block ${last}, not for block ${number}`)
}

const rewind = async (chain: ChainState, number: bigint): Promise<void> => {
  const { rewindStore, validators, rewound, editedStates } = chain
  if (rewindStore === undefined) throw new RewindRefused('this chain does not go back')
  await rewindStore(number)
  // All: a development chain may have begun another chain in its place.
  validators.discardAbove(-1n)
  editedStates.forget()
  rewound.call(headOf(chain))
}

/** The store for readers, which see the state with its edits. */
const readStore = (
  { store, editsAfter }: Pick<ChainContext, 'store' | 'editsAfter'>,
  states: EditedStates,
): ChainStore =>
  editsAfter === noEdits
    ? store
    : { ...store, stateAt: number => states.reader(store.stateAt(number), number, () => editsAfter(number)) }

const chainOn = (
  opened: Omit<ChainContext, 'validators'>,
  rewindStore: RewindableStore['rewind'] | undefined,
  onError: OpenChainOptions['onError'],
): Chain & Rewinding & RecordImport => {
  const { configuration, store, genesis } = opened
  const { consensus } = configuration
  const validators =
    consensus.kind === 'qbft'
      ? createValidators(configuration, consensus, store, genesis.header)
      : NO_VALIDATORS
  const context: ChainContext = { ...opened, validators: validators.validators }
  const producer = createProducer(context)
  const enqueue = createQueue()
  const listeners = createListeners<ChainHead>(onError)
  const rewound = createListeners<ChainHead>(onError)
  const chain: ChainState = {
    context,
    validators,
    producer,
    enqueue,
    listeners,
    rewound,
    editedStates: createEditedStates(),
    rewindStore,
    onError,
    verification: undefined,
  }
  const head = (): ChainHead => headOf(chain)
  return {
    configuration,
    store: readStore(opened, chain.editedStates),
    genesis,
    head,
    importBlock: (block, options) => {
      void supersedeVerification(chain, block)
      return enqueue(() => importBlock(chain, block, options))
    },
    importRecord: (record, { nowMs }) =>
      enqueue(async () => commit(chain, await validateRecord(context, head(), record, nowMs), 'soon')),
    buildBlock: options => enqueue(() => producer.build(head(), options)),
    verifyBlock: (block, options) => enqueue(() => verifyBlock(chain, block, options)),
    commitBuilt: (built, header, durable) => enqueue(() => commitBuilt(chain, built, header, durable)),
    repairBlock: block => enqueue(() => repairBlock(context, block)),
    voteTally: () => validators.voteTally(head().header.number),
    validators: async number => {
      requireUpTo(head().header.number + 1n, number)
      return validators.validators(number)
    },
    validatorsNamedBy: async number => {
      requireUpTo(head().header.number, number)
      return validators.namedBy(number)
    },
    onHead: listeners.add,
    rewind: number => enqueue(() => rewind(chain, number)),
    onRewind: rewound.add,
  }
}
