import { accessSync, constants, mkdirSync } from 'node:fs'
import { type BadBlocks, createBadBlocks, keepBadBlocks } from '../../core/chain/importing/badBlocks.ts'
import type { MemoryUnavailable } from '../../core/evm/interpreter/memory.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { consensusEntries } from '../../core/genesis/consensusEntries.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import type { ChainStore } from '../../core/store/store.ts'
import { CommandError, UsageError } from '../cli/errors.ts'
import { lockDataPath } from '../drivers/lock.ts'
import { openStorage, StorageUnavailable } from '../drivers/open.ts'
import { writeFileAtomically } from '../files/atomic.ts'
import { writeFailureReason } from '../files/reason.ts'
import { createNodeKey, type NodeKey, nodeKeyPath, readNodeKey, writeNodeKey } from '../keys/nodeKey.ts'
import { logOf } from '../logging/log.ts'
import { createRecoveryPool, type RecoveryPool } from '../threads/recovery/pool.ts'
import { createSlice, isSliceOver } from '../schedule.ts'
import { executionBytesMax } from './executionMemory.ts'
import { watchUnholdableBlocks } from './unholdableBlocks.ts'
import { closeAll } from './closeAll.ts'
import { useFastEngine } from './engine.ts'
import {
  developmentGenesisPath,
  newDevelopmentGenesis,
  readGenesis,
  readGenesisIfThere,
} from './genesisFile.ts'
import type { RecoverSenders } from '../../core/chain/importing/validation.ts'
import type { RecoverSeals } from '../../core/chain/rules/seals.ts'
import { createRecoverSeals } from '../threads/recovery/recoverSeals.ts'
import { createRecoverSenders, type KnownSender } from '../threads/recovery/recoverSenders.ts'

export type OpenOptions = {
  readonly dataPath: string
  readonly genesisFile: string | undefined
  readonly storage: string
  /** The node connects to others, from which it fetches blocks whose records are damaged. */
  readonly repairsFromPeers?: boolean
}

/** A chain that is open in this process, and nobody else's while it is. */
export type OpenNode = {
  readonly chain: Chain
  readonly recoverSenders: RecoverSenders
  /** From now on senders that are known there are not recovered: what waits in a pool need not be when it comes in a block. */
  readonly lookUpSenders: (known: KnownSender) => void
  readonly recoverSeals: RecoverSeals
  /** What this chain refused. */
  readonly badBlocks: BadBlocks
  /** Resolves when a sealed block needs more memory than this machine has. */
  readonly unholdable: Promise<MemoryUnavailable>
  /** Where the chain is kept, for what else must survive as blocks do. */
  readonly storage: Pick<KeyValueStore, 'durability' | 'get' | 'setDurably'>
  /** Brings everything to the disk and lets the data path go. */
  close(): Promise<void>
}

/** What is known of the chain before anything is opened or written. */
type Plan = {
  readonly genesis: Genesis
  /** The text to keep when the chain is a development chain that does not exist yet. */
  readonly newText: string | undefined
}

const planChain = (options: OpenOptions, key: NodeKey | undefined): Plan => {
  if (options.genesisFile !== undefined)
    return { genesis: readGenesis(options.genesisFile), newText: undefined }
  const kept = readGenesisIfThere(developmentGenesisPath(options.dataPath))
  if (kept !== undefined) return { genesis: kept, newText: undefined }
  if (key === undefined)
    throw new CommandError(
      'DATA_PATH',
      `There is no development chain in ${options.dataPath}: give the --genesis-file of the network, or the --data-path of one`,
    )
  const { genesis, text } = newDevelopmentGenesis(key.address)
  return { genesis, newText: text }
}

/** @throws CommandError when the folder cannot be made or written to */
const makeFolder = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
  } catch (cause) {
    throw new CommandError(
      'DATA_PATH',
      `Cannot use the data path ${path}: ${writeFailureReason(cause)}. Give a folder that this node may write to with --data-path.`,
    )
  }
}

/** A data path that holds a chain without the genesis file of a development chain was made with another file. */
const requireNew = async (store: ChainStore, dataPath: string): Promise<void> => {
  if (store.head() === undefined) return
  const genesis = await store.record(0n)
  throw new CommandError(
    'DATA_PATH',
    `${dataPath} holds the chain of genesis block ${genesis === undefined ? 'unknown' : toHex(genesis.hash)}, which is no development chain: give its --genesis-file, or another --data-path`,
  )
}

const openStorageOf = async ({ storage, dataPath }: OpenOptions): Promise<KeyValueStore> => {
  try {
    return await openStorage(storage, dataPath)
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new UsageError('INVALID_VALUE', error.message)
    throw error
  }
}

const recoverElsewhere = (): RecoveryPool =>
  createRecoveryPool({
    onWorkerFailure: error =>
      logOf('crypto').warn('Signatures are recovered without worker threads: {error}', { error }),
  })

/** Ends what was opened, the last first; once. */
const createClosers = () => {
  const closers: (() => Promise<void>)[] = []
  return {
    add: (closable: { close(): Promise<void> }): void => {
      closers.push(() => closable.close())
    },
    close: (): Promise<void> => closeAll(closers.splice(0).reverse()),
  }
}

const closableLock = (lock: { release(): void }) => ({ close: async () => lock.release() })

/** Recovers senders but for those that something else knows, once it is there to be asked. */
const createSenders = (recovery: RecoveryPool): Pick<OpenNode, 'recoverSenders' | 'lookUpSenders'> => {
  let knownSender: KnownSender = () => undefined
  return {
    recoverSenders: createRecoverSenders(recovery, hash => knownSender(hash)),
    lookUpSenders: known => {
      knownSender = known
    },
  }
}

const tellFailedFollower = (error: unknown): void =>
  logOf('chain').error('A follower of the chain failed: {error}', { error })

/** Makes no function of its own: one that lives as long as the node would keep the accounts of the genesis file. */
const openWith = async (options: OpenOptions, plan: Plan, keepKey: () => void): Promise<OpenNode> => {
  makeFolder(options.dataPath)
  const { add, close } = createClosers()
  add(closableLock(await lockDataPath(options.dataPath)))
  const recovery = recoverElsewhere()
  add(recovery)
  try {
    const storage = await openStorageOf(options)
    add(storage)
    const store = await openChainStore(storage, { repairs: options.repairsFromPeers === true })
    add(store)
    if (plan.newText !== undefined) {
      await requireNew(store, options.dataPath)
      // The validator's key comes first: without it the chain that the file founds could never go on.
      keepKey()
      writeFileAtomically(developmentGenesisPath(options.dataPath), plan.newText)
    }
    const { recoverSenders, lookUpSenders } = createSenders(recovery)
    const badBlocks = createBadBlocks()
    const opened = await openChain({
      genesis: plan.genesis,
      store,
      recoverSenders,
      pause: createSlice(),
      isPauseDue: isSliceOver,
      executionBytesMax: executionBytesMax(),
      onError: tellFailedFollower,
    })
    const { chain, unholdable } = watchUnholdableBlocks(keepBadBlocks(opened, badBlocks))
    if (plan.newText === undefined) keepKey()
    const recoverSeals = createRecoverSeals(recovery)
    return { chain, recoverSenders, lookUpSenders, recoverSeals, badBlocks, unholdable, storage, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens a chain that is there, or that a genesis file founds, for a command. @throws CommandError and others with a `code` */
export const openNode = async (options: OpenOptions): Promise<OpenNode> => {
  await useFastEngine()
  return openWith(options, planChain(options, undefined), () => undefined)
}

export type RunningNode = OpenNode & {
  readonly key: NodeKey
  /** What all nodes must agree on of the genesis file, by the names of its entries. */
  readonly genesisEntries: Readonly<Record<string, string>>
}

export type PreparedNode = {
  readonly configuration: ChainConfiguration
  /** What an operator should be told of the genesis file. */
  readonly warnings: readonly string[]
  /** Once: the accounts of the genesis file, which may be tens of thousands, go when they are in the store. */
  open(): Promise<RunningNode>
}

/**
 * Reads what a node that runs is made of, without writing anything; `open` then opens the chain, and makes the key and
 * a development chain where there are none.
 */
export const prepareRunningNode = (
  options: OpenOptions & { readonly nodePrivateKeyFile: string | undefined },
): PreparedNode => {
  const keyPath = nodeKeyPath(options)
  const kept = readNodeKey(keyPath)
  const key = kept ?? createNodeKey()
  let plan: Plan | undefined = planChain(options, key)
  const { configuration, warnings } = plan.genesis
  const keepKey = (): void => {
    if (kept === undefined) writeNodeKey(keyPath, key)
  }
  return {
    configuration,
    warnings,
    open: async () => {
      if (plan === undefined) throw new Error('a node that was prepared is opened once')
      const opening = plan
      plan = undefined
      await useFastEngine()
      const genesisEntries = consensusEntries(opening.genesis)
      return { ...(await openWith(options, opening, keepKey)), key, genesisEntries }
    },
  }
}
