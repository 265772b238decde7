import { createReadStream, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stderr } from 'node:process'
import { equalBytes } from '../../../core/bytes/bytes.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import type { Chain, RecordImport } from '../../../core/chain/chain.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import type { Genesis } from '../../../core/genesis/genesis.ts'
import { RlpError } from '../../../core/rlp/rlp.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { MalformedRecord } from '../../../core/store/codec/reader.ts'
import { commitOfSegment } from '../../../core/store/recovery/recover.ts'
import { readFrames, SnapshotDamaged } from '../../../core/store/snapshot/frames.ts'
import {
  decodeSnapshotHeader,
  type SnapshotHeader,
  SnapshotVersion,
} from '../../../core/store/snapshot/header.ts'
import type { CommandContext } from '../../cli/command.ts'
import { configureLogFrom } from '../../cli/configureLog.ts'
import { CommandError, UsageError, requireOption } from '../../cli/errors.ts'
import { type Progress, startProgress } from '../../cli/terminal/progress.ts'
import { type DataPathLock, lockDataPath } from '../../drivers/lock.ts'
import { CHAIN_FOLDER, openStorage } from '../../drivers/open.ts'
import { connectionFailureReason, writeFailureReason } from '../../files/reason.ts'
import { useFastEngine } from '../../node/opening/engine.ts'
import { readGenesis } from '../../node/opening/genesisFile.ts'
import { createYield } from '../../scheduler.ts'
import { createRecoveryPool } from '../../threads/recovery/recoveryPool.ts'
import { createRecoverSenders } from '../../threads/recovery/recoverSenders.ts'
import type { RestoreOptions } from './snapshotCommands.ts'

/** Bytes read at once. */
const CHUNK_BYTES = 1024 * 1024

/** The folder of the chain in a data path; it is built beside and renamed when it is whole. */
const RESTORING_FOLDER = 'chain.restoring'

const refuse = (path: string, reason: string): CommandError =>
  new CommandError('IMPORT', `Cannot restore ${path}: ${reason}. Nothing was changed`)

/** The genesis hash does not cover the chain id. @throws CommandError */
const requireSameChain = (path: string, header: SnapshotHeader, chain: Chain): void => {
  if (!equalBytes(header.genesisHash, chain.genesis.hash))
    throw refuse(
      path,
      `it is of another chain: its genesis block is ${toHex(header.genesisHash)}, the genesis file's is ${toHex(chain.genesis.hash)}`,
    )
  const { chainId } = chain.configuration
  if (header.chainId !== chainId)
    throw refuse(
      path,
      `it is of another chain: its chain id is ${header.chainId}, the genesis file's is ${chainId}`,
    )
}

/** Imports all blocks of the file. @returns the header of the file @throws CommandError, and errors of a damaged file */
const importFile = async (
  path: string,
  chain: Chain & RecordImport,
  progress: Progress,
): Promise<SnapshotHeader> => {
  let header: SnapshotHeader | undefined
  for await (const { kind, payload } of readFrames(createReadStream(path, { highWaterMark: CHUNK_BYTES }))) {
    if (kind === 'header') {
      if (header !== undefined) throw new SnapshotDamaged('it has two headers')
      header = decodeSnapshotHeader(payload)
      requireSameChain(path, header, chain)
      continue
    }
    if (header === undefined) throw new SnapshotDamaged('it has no header')
    if (kind === 'end') break
    await chain.importRecord(commitOfSegment(payload), { nowMs: Date.now() })
    const { number } = chain.head().header
    progress.update({ done: Number(number), total: Number(header.number), text: `block ${number}` })
  }
  const { header: last, hash } = chain.head()
  if (header === undefined || last.number !== header.number || !equalBytes(hash, header.hash))
    throw new SnapshotDamaged(`it ends at block ${last.number}, its header names another one`)
  return header
}

const build = async (
  path: string,
  folder: string,
  genesis: Genesis,
  progress: Progress,
): Promise<SnapshotHeader> => {
  const recovery = createRecoveryPool({ onWorkerFailure: () => undefined })
  const storage = await openStorage('sqlite', folder)
  try {
    const store = await openChainStore(storage)
    try {
      const chain = await openChain({
        genesis,
        store,
        recoverSenders: createRecoverSenders(recovery, () => undefined),
        pause: createYield(),
        onError: cause => {
          throw cause
        },
      })
      const header = await importFile(path, chain, progress)
      await store.settle()
      return header
    } finally {
      await store.close()
    }
  } finally {
    await recovery.close()
  }
}

const isDamage = (cause: unknown): cause is Error =>
  [SnapshotDamaged, SnapshotVersion, InvalidBlock, MalformedRecord, RlpError, DecodeError].some(
    kind => cause instanceof kind,
  )

/** SQLite's text, also within an error of the store. */
const isDiskFull = (cause: unknown): boolean =>
  cause instanceof Error && (/disk is full/.test(cause.message) || isDiskFull(cause.cause))

const refusalOf = (path: string, cause: unknown): unknown => {
  if (cause instanceof CommandError) return cause
  if (isDiskFull(cause)) return refuse(path, 'the disk is full')
  if (cause instanceof InvalidBlock) return refuse(path, `a block of it is not valid: ${cause.message}`)
  if (isDamage(cause)) return refuse(path, cause.message)
  const { syscall, code } = cause as { readonly syscall?: unknown; readonly code?: unknown }
  if (code === 'ENOENT') return refuse(path, 'there is no such file')
  if (['read', 'open', 'stat'].includes(String(syscall))) return refuse(path, connectionFailureReason(cause))
  if (syscall !== undefined) return refuse(path, writeFailureReason(cause))
  return cause
}

/** A pipe would be waited for, for as long as nobody writes to it. @throws CommandError, errors of the system */
const requireFile = (path: string): void => {
  if (!statSync(path).isFile()) throw refuse(path, 'it is not a regular file')
}

/** @throws CommandError; DataPathInUse */
const lock = async (dataPath: string): Promise<DataPathLock> => {
  try {
    return await lockDataPath(dataPath)
  } catch (cause) {
    if ((cause as { readonly syscall?: unknown }).syscall === undefined) throw cause
    throw new CommandError(
      'DATA_PATH',
      `Cannot use the data path ${dataPath}: ${writeFailureReason(cause)}. Give a folder that this user may write to with --data-path`,
    )
  }
}

/**
 * Restores the chain of a node that has none. Each block is verified against its seals and roots in a folder beside, which
 * becomes the chain by one rename: a stop at any moment leaves the data path as it was. No restart record comes with it: a
 * validator that has signed elsewhere waits for the positions of the others.
 * @throws CommandError, UsageError
 */
export const restoreSnapshot = async ({
  options,
  terminal,
}: CommandContext<RestoreOptions>): Promise<number> => {
  configureLogFrom(options, terminal, 'error')
  const { dataPath, storage } = options
  const from = requireOption(options.from, '--from=<PATH>')
  const genesisFile = requireOption(options.genesisFile, '--genesis-file=<PATH>')
  if (storage !== 'sqlite')
    throw new UsageError('INVALID_VALUE', `A snapshot is restored into --storage=sqlite, not ${storage}`)
  await useFastEngine()
  const genesis = readGenesis(genesisFile)
  const locked = await lock(dataPath)
  let isRestored = false
  const progress = startProgress(terminal, text => void stderr.write(text))
  const restoring = join(dataPath, RESTORING_FOLDER)
  const chainFolder = join(dataPath, CHAIN_FOLDER)
  try {
    requireFile(from)
    if (existsSync(chainFolder))
      throw refuse(from, `${dataPath} has a chain. Give another --data-path, or remove ${chainFolder}`)
    rmSync(restoring, { recursive: true, force: true })
    mkdirSync(restoring)
    const header = await build(from, restoring, genesis, progress)
    progress.end()
    renameSync(join(restoring, CHAIN_FOLDER), chainFolder)
    isRestored = true
    rmSync(restoring, { recursive: true, force: true })
    terminal.out(`Restored the chain up to block ${header.number}, ${toHex(header.hash)}`)
    return 0
  } catch (cause) {
    progress.end()
    rmSync(restoring, { recursive: true, force: true })
    throw refusalOf(from, cause)
  } finally {
    if (isRestored) locked.release()
    else locked.undo()
  }
}
