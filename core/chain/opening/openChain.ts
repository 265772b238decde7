import type { Address } from '../../bytes/bytes.ts'
import type { Genesis } from '../../genesis/genesis.ts'
import type { BlockCommit, ChainHead, ChainStore, Durable } from '../../store/store.ts'
import type { Block } from '../../block/block.ts'
import type { Chain } from '../chain.ts'
import { ChainError } from '../error.ts'
import { isKnown, validateBlock } from '../importing/importing.ts'
import { createListeners } from '../listeners.ts'
import { openGenesis } from './openGenesis.ts'
import { createProducer } from '../building/producing.ts'
import { createQueue } from '../importing/queue.ts'
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
import { createValidators, type Validators } from '../execution/validators.ts'

export type OpenChainOptions = {
  readonly genesis: Genesis
  /** Empty, or with the chain of this genesis in it. The chain becomes its only writer. */
  readonly store: ChainStore
  /** Recovers the senders of an imported block; a runtime with worker threads gives one that uses them. */
  readonly recoverSenders?: RecoverSenders
  /** Resolves when other work of the process had its turn; asked for between the slices of executing a block. */
  readonly pause?: () => Promise<void>
  /** Asked while a block is executed, some times a millisecond: true where it is to pause. Always when left out. */
  readonly isPauseDue?: () => boolean
  /** Told what listeners throw; the chain goes on. */
  readonly onError: (error: unknown) => void
}

const NO_VALIDATORS: Validators = {
  validators: () => Promise.resolve([]),
  namedBy: () => Promise.resolve([]),
  voteTally: () => Promise.resolve(undefined),
}

const always = (): boolean => true

const pauseNever = (): Promise<void> => Promise.resolve()

/**
 * Opens the chain in a store, writing the genesis block into an empty one. Makes no function of its own: those that live as
 * long as the chain would keep the accounts of the genesis file.
 * @throws ChainError when the store holds another chain, or the genesis file cannot be run on it
 */
export const openChain = async (options: OpenChainOptions): Promise<Chain> => {
  const { store, recoverSenders = recoverHere, pause = pauseNever, isPauseDue = always, onError } = options
  const { configuration } = options.genesis
  const genesis = await openGenesis(options.genesis, store)
  return chainOn({ configuration, store, genesis, recoverSenders, pause, isPauseDue }, onError)
}

const chainOn = (opened: Omit<ChainContext, 'validators'>, onError: OpenChainOptions['onError']): Chain => {
  const { configuration, store, genesis } = opened
  const { consensus } = configuration
  const { validators, namedBy, voteTally } =
    consensus.kind === 'qbft' ? createValidators(configuration, consensus, store) : NO_VALIDATORS
  const context: ChainContext = { ...opened, validators }
  const producer = createProducer(context)
  const enqueue = createQueue()
  const listeners = createListeners<ChainHead>(onError)
  let verifying: { isSuperseded: boolean } | undefined

  const head = (): ChainHead => {
    const current = store.head()
    if (current === undefined) throw new ChainError('NO_SUCH_BLOCK', 'the store has lost its genesis block')
    return current
  }

  const commit = async (next: BlockCommit, durable: Durable = 'now'): Promise<void> => {
    await store.commit(next, durable)
    listeners.call({ header: next.block.header, hash: next.hash, totalDifficulty: next.totalDifficulty })
  }

  /** The validators of a block up to `last`. */
  const upTo = (
    last: bigint,
    number: bigint,
    find: (number: bigint) => Promise<readonly Address[]>,
  ): Promise<readonly Address[]> =>
    number >= 0n && number <= last
      ? find(number)
      : Promise.reject(
          new ChainError('NO_SUCH_BLOCK', `validators are known up to block ${last}, not of block ${number}`),
        )

  /** A proposal that is being verified holds up a block that is sealed already only until its seals are checked. */
  const supersedeBy = async (block: Block): Promise<void> => {
    const verification = verifying
    if (verification === undefined || block.header.number !== head().header.number + 1n) return
    try {
      const headers = headerContext(context, block.header, head(), Number.MAX_SAFE_INTEGER)
      ancestry(headers)
      await checkHeader(context, headers)
      verification.isSuperseded = true
    } catch (error) {
      // Importing it, in its turn, tells what is wrong with it.
      if (!(error instanceof InvalidBlock)) onError(error)
    }
  }

  return {
    configuration,
    store,
    genesis,
    head,
    importBlock: (block, importOptions) => {
      void supersedeBy(block)
      return enqueue(async () => {
        const next = await validateBlock(context, head(), block, importOptions)
        if (next === undefined) return 'known'
        await commit(next, importOptions.durable)
        return 'imported'
      })
    },
    buildBlock: buildOptions => enqueue(() => producer.build(head(), buildOptions)),
    verifyBlock: (block, { giveUp, ...verifyOptions }) =>
      enqueue(async () => {
        const verification = { isSuperseded: false }
        verifying = verification
        try {
          return await producer.verify(head(), block, {
            ...verifyOptions,
            giveUp: () =>
              verification.isSuperseded
                ? 'a block with a quorum of seals is here for its height'
                : giveUp?.(),
          })
        } finally {
          verifying = undefined
        }
      }),
    commitBuilt: (built, header, durable) =>
      enqueue(async () => {
        const { number } = header
        if (await isKnown(context, head(), number, hashOfHeader(configuration, header))) return 'known'
        await commit(await producer.seal(head(), built, header), durable)
        return 'imported'
      }),
    repairBlock: block => enqueue(() => repairBlock(context, block)),
    voteTally: () => voteTally(head().header.number),
    validators: number => upTo(head().header.number + 1n, number, validators),
    validatorsNamedBy: number => upTo(head().header.number, number, namedBy),
    onHead: listeners.add,
  }
}
