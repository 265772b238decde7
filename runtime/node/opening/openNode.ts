import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { createBadBlocks, keepBadBlocks } from '../../../core/chain/importing/badBlocks.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import type { ChainConfiguration } from '../../../core/genesis/configuration.ts'
import { consensusEntries } from '../../../core/genesis/comparison/consensusEntries.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'
import type { ChainStore, RewindableStore } from '../../../core/store/store.ts'
import { CommandError, UsageError } from '../../cli/errors.ts'
import { lockDataPath } from '../../drivers/lock.ts'
import { openStorage, type Storage, StorageUnavailable } from '../../drivers/open.ts'
import { forkPath } from '../../fork/forkPath.ts'
import type { ForkPoint } from '../../fork/forkPoint.ts'
import { writeFileAtomically } from '../../files/atomic.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { requirePrivateFile } from '../../keys/filePermissions.ts'
import { createNodeKey, type NodeKey, nodeKeyPath, readNodeKey, writeNodeKey } from '../../keys/nodeKey.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { bindConnectionKey } from '../../signing/connectionBinding.ts'
import { type OpenedKeys, startFailure } from '../../signing/securityModule.ts'
import { localSigner } from '../../signing/signer.ts'
import { logOf } from '../../logging/log.ts'
import { createRecoveryPool, type RecoveryPool } from '../../threads/recovery/recoveryPool.ts'
import { createYield, isSliceOver } from '../../scheduler.ts'
import type { DevelopmentChains } from '../development/chains.ts'
import type { OpenNode, RunningNode } from '../runningNode.ts'
import { historySettings } from './history/settings.ts'
import { useWholeChain } from './history/wholeChain.ts'
import { executionBytesMax } from './executionMemory.ts'
import { watchMemoryExceeded } from './memoryExceeded.ts'
import { closeAll } from '../closeAll.ts'
import { useFastEngine } from './engine.ts'
import {
  developmentGenesisPath,
  newDevelopmentGenesis,
  readGenesis,
  readGenesisIfPresent,
} from './genesisFile.ts'
import { createRecoverSeals } from '../../threads/recovery/recoverSeals.ts'
import { createRecoverBlocks } from '../../threads/recovery/recoverBlocks.ts'
import {
  createRecoverSenders,
  type KnownSender,
  type SendersOfLists,
} from '../../threads/recovery/recoverSenders.ts'

export type OpenOptions = {
  readonly dataPath: string
  readonly genesisFile: string | undefined
  readonly storage: string
  /** Whether the node fetches damaged block records from its peers. */
  readonly repairsFromPeers?: boolean
  /** Blocks to keep; undefined to remove none. */
  readonly pruneHistory?: number | undefined
  /** False if a power cut may take the last blocks, which nobody else has; true by default. */
  readonly waitsForDisk?: boolean
  /** Ends a wait for a storage that another node holds. */
  readonly stop?: AbortSignal
}

/** The genesis, read before anything is opened or written. */
type Plan = {
  readonly genesis: Genesis
  /** The text of the genesis file of a new development chain; undefined for any other chain. */
  readonly newText: string | undefined
  /** Where a development chain forks another network; undefined for any other chain. */
  readonly fork: ForkPoint | undefined
}

const planChain = (options: OpenOptions, key: NodeKey | undefined, fork?: ForkPoint): Plan => {
  if (options.genesisFile !== undefined)
    return { genesis: readGenesis(options.genesisFile), newText: undefined, fork: undefined }
  if (fork === undefined && existsSync(forkPath(options.dataPath)))
    throw new CommandError(
      'DATA_PATH',
      `The chain in ${options.dataPath} forks another network, so most of it is not stored there: only 'node' can open it`,
    )
  const kept = readGenesisIfPresent(developmentGenesisPath(options.dataPath))
  if (kept !== undefined) return { genesis: kept, newText: undefined, fork }
  if (key === undefined)
    throw new CommandError(
      'DATA_PATH',
      `There is no development chain in ${options.dataPath}: give the --genesis-file of the network, or the --data-path of one`,
    )
  const { genesis, text } = newDevelopmentGenesis(key.address, fork?.chainId)
  return { genesis, newText: text, fork }
}

/** @throws CommandError if the folder cannot be created or written to */
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

/** A data path with a chain and no genesis file belongs to a network. @throws CommandError */
const requireNew = async (store: ChainStore, dataPath: string): Promise<void> => {
  if (store.head() === undefined) return
  const genesis = await store.record(0n)
  throw new CommandError(
    'DATA_PATH',
    `${dataPath} holds the chain of genesis block ${genesis === undefined ? 'unknown' : toHex(genesis.hash)}, which is not a development chain: give its --genesis-file, or another --data-path`,
  )
}

const openStorageOf = async ({ storage, dataPath, ...options }: OpenOptions): Promise<Storage> => {
  try {
    return await openStorage(storage, dataPath, options)
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new UsageError('INVALID_VALUE', error.message)
    throw error
  }
}

const openRecoveryPool = (): RecoveryPool =>
  createRecoveryPool({
    onWorkerFailure: error =>
      logOf('crypto').warn('Signatures are recovered without worker threads: {error}', { error }),
  })

/** Closes what was opened, in the opposite order, once. */
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

/** Recovers the senders that `lookUpSenders` does not know. */
const createSenders = (
  recovery: RecoveryPool,
): Pick<OpenNode, 'recoverSenders' | 'recoverBlocks' | 'lookUpSenders'> => {
  let knownSender: KnownSender = () => undefined
  const lists: SendersOfLists = new WeakMap()
  return {
    recoverSenders: createRecoverSenders(recovery, hash => knownSender(hash), lists),
    recoverBlocks: createRecoverBlocks(recovery, hash => knownSender(hash), lists),
    lookUpSenders: known => {
      knownSender = known
    },
  }
}

const logFollowerFailure = (error: unknown): void =>
  logOf('chain').error('A follower of the chain failed: {error}', { error })

/** Tests send transactions from contracts, and set coinbase and base fee of a block. */
const ofDevelopment = (genesis: Genesis): Genesis => ({
  ...genesis,
  configuration: { ...genesis.configuration, contractsMaySend: true, anyHeaderValues: true },
})

type OpenedStore = {
  readonly store: ChainStore & Partial<Pick<RewindableStore, 'rewind'>>
  readonly chains: DevelopmentChains | undefined
}

/** Writes the files of a new development chain. @throws CommandError if the storage has another chain */
const createDevelopmentFiles = async (
  storage: KeyValueStore,
  { dataPath }: OpenOptions,
  { fork }: Plan,
  newText: string,
  keepKey: () => void,
): Promise<void> => {
  await requireNew(await openChainStore(storage), dataPath)
  // The validator's key first: the chain of this genesis file could not continue without it.
  keepKey()
  if (fork !== undefined) (await import('../../fork/forkPoint.ts')).keepForkPoint(dataPath, fork)
  writeFileAtomically(developmentGenesisPath(dataPath), newText)
}

const openStore = async (
  storage: KeyValueStore,
  options: OpenOptions,
  plan: Plan,
  keepKey: () => void,
): Promise<OpenedStore> => {
  const { genesisFile, dataPath, repairsFromPeers = false, pruneHistory } = options
  if (genesisFile !== undefined) {
    const history = historySettings(pruneHistory)
    return { store: await openChainStore(storage, { repairs: repairsFromPeers, history }), chains: undefined }
  }
  const { newText, fork } = plan
  if (newText !== undefined) await createDevelopmentFiles(storage, options, plan, newText, keepKey)
  const genesis = ofDevelopment(plan.genesis)
  const { createDevelopmentChains, openFirstChain } = await import('../development/chains.ts')
  const first = await openFirstChain(storage, genesis, fork, newText !== undefined)
  const chains = createDevelopmentChains(first, () =>
    ofDevelopment(readGenesis(developmentGenesisPath(dataPath))),
  )
  return { store: chains.store, chains }
}

/** Creates no closure that lives as long as the node, because it would keep the accounts of the genesis file in memory. */
const openWith = async (options: OpenOptions, plan: Plan, keepKey: () => void): Promise<OpenNode> => {
  makeFolder(options.dataPath)
  const { add, close } = createClosers()
  add(closableLock(await lockDataPath(options.dataPath)))
  const recovery = openRecoveryPool()
  add(recovery)
  try {
    const senders = createSenders(recovery)
    await useWholeChain(options, senders.recoverSenders)
    const storage = await openStorageOf(options)
    add(storage)
    const { store, chains } = await openStore(storage, options, plan, keepKey)
    add(chains?.first.store ?? store)
    const badBlocks = createBadBlocks()
    const opened = await openChain({
      genesis: chains === undefined ? plan.genesis : ofDevelopment(plan.genesis),
      store,
      ...(chains === undefined ? {} : { editsAfter: number => chains.edits.after(number) }),
      recoverSenders: senders.recoverSenders,
      pause: createYield(),
      isPauseDue: isSliceOver,
      executionBytesMax: executionBytesMax(),
      onError: logFollowerFailure,
    })
    const { chain, memoryExceeded } = watchMemoryExceeded(keepBadBlocks(opened, badBlocks))
    if (plan.newText === undefined) keepKey()
    const recoverSeals = createRecoverSeals(recovery)
    const development = chains === undefined ? undefined : { rewinding: opened, chains }
    const storageLost = storage.lost
    const { importRecord } = opened
    return {
      chain,
      importRecord,
      ...senders,
      recoverSeals,
      badBlocks,
      memoryExceeded,
      storageLost,
      development,
      storage,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Opens a chain for a command; creates it from its genesis file if needed. @throws CommandError and others with a `code` */
export const openNode = async (options: OpenOptions): Promise<OpenNode> => {
  await useFastEngine()
  return openWith(options, planChain(options, undefined), () => undefined)
}

export type PreparedNode = {
  readonly configuration: ChainConfiguration
  /** Warnings about the genesis file for the log. */
  readonly warnings: readonly string[]
  /**
   * Called once: it frees the accounts of the genesis file, which may be tens of thousands, when they are stored.
   * @throws StorageWaitStopped
   */
  open(stop: AbortSignal): Promise<RunningNode>
}

type RunningOptions = OpenOptions & {
  readonly nodePrivateKeyFile: string | undefined
  readonly securityModule: NodeOptions['securityModule']
  readonly unsafeKeyPermissions: boolean
  readonly forkUrl: string | undefined
  readonly forkBlock: number | undefined
}

/** The key file of the node, or a new key. `keep` writes a new key. @throws CommandError */
const openKeyFile = (options: RunningOptions): { readonly key: NodeKey; readonly keep: () => void } => {
  const keyPath = nodeKeyPath(options)
  const kept = readNodeKey(keyPath)
  if (kept !== undefined) {
    if (!options.unsafeKeyPermissions) requirePrivateFile(keyPath)
    return { key: kept, keep: () => undefined }
  }
  const key = createNodeKey()
  const keep = (): void => {
    writeNodeKey(keyPath, key)
    const values = { path: keyPath, address: toHex(key.address) }
    if (options.nodePrivateKeyFile === undefined)
      logOf('node').info('Created the node key {path}: address {address}', values)
    else
      logOf('node').warn(
        'There was no file {path} (--node-private-key-file): created a new key with the address {address}',
        values,
      )
  }
  return { key, keep }
}

/** Opens a node whose validator key is elsewhere. @throws CommandError if the signer cannot sign the statement */
const openWithKeys = async (
  options: OpenOptions,
  opening: Plan,
  genesisEntries: RunningNode['genesisEntries'],
  keys: OpenedKeys | undefined,
): Promise<RunningNode> => {
  if (keys === undefined) throw new Error('a node needs a key')
  const { signer, connectionKey } = keys
  const opened = await openWith(options, opening, () => undefined)
  const close = (): Promise<void> => closeAll([async () => signer.close(), () => opened.close()])
  try {
    const { hash } = opened.chain.genesis
    const statement = await bindConnectionKey(options.dataPath, signer, connectionKey.publicKey, hash)
    return { ...opened, close, key: signer, signer, connectionKey, statement, genesisEntries }
  } catch (cause) {
    await close()
    throw startFailure(cause)
  }
}

/** The fork point of a development chain; undefined for one that forks nothing. @throws CommandError */
const forkPointOf = async (options: RunningOptions): Promise<ForkPoint | undefined> => {
  const { genesisFile, dataPath, forkUrl, forkBlock } = options
  if (genesisFile !== undefined || (forkUrl === undefined && !existsSync(forkPath(dataPath))))
    return undefined
  const { openForkPoint } = await import('../../fork/forkPoint.ts')
  return openForkPoint(dataPath, !existsSync(developmentGenesisPath(dataPath)), forkUrl, forkBlock)
}

/**
 * Reads genesis and key without writing anything. `open` then opens the chain, and creates the key and a development chain
 * if needed.
 */
export const prepareRunningNode = async (
  options: RunningOptions,
  openSecurityModule: () => Promise<OpenedKeys | undefined>,
): Promise<PreparedNode> => {
  // Before the key is read: the portable engine would build its tables for a single public key.
  await useFastEngine()
  const file = options.securityModule === 'localfile' ? openKeyFile(options) : undefined
  let plan: Plan | undefined = planChain(options, file?.key, await forkPointOf(options))
  const { configuration, warnings } = plan.genesis
  return {
    configuration,
    warnings,
    open: async stop => {
      if (plan === undefined) throw new Error('a prepared node can be opened only once')
      const opening = plan
      plan = undefined
      const genesisEntries = consensusEntries(opening.genesis)
      if (file !== undefined) {
        const { key, keep } = file
        const opened = await openWith({ ...options, stop }, opening, keep)
        return {
          ...opened,
          key,
          signer: localSigner(key),
          connectionKey: key,
          statement: undefined,
          genesisEntries,
        }
      }
      return openWithKeys({ ...options, stop }, opening, genesisEntries, await openSecurityModule())
    },
  }
}
