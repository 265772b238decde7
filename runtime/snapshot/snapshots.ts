import { errorText } from '../../core/text/errorText.ts'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { toHex } from '../../core/bytes/hex.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { CreateYield } from '../../core/scheduler.ts'
import {
  type RpcSnapshots,
  SnapshotRefused,
  type SnapshotStatus,
  type WrittenSnapshot,
} from '../../handlers/rpc/snapshots.ts'
import { createTokenBucket } from '../../p2p/transport/tokenBucket.ts'
import { writeFailureReason } from '../files/reason.ts'
import type { Log } from '../logging/log.ts'
import { writeSnapshot } from './writeSnapshot.ts'

/** The folder in the data path, so that a client cannot choose where a file is written. */
const SNAPSHOT_FOLDER = 'snapshots'

/** Why the chain of a user who set its state cannot be copied. */
export const STATE_SET_BY_HAND: string =
  'the state of this development chain was set by hand: no snapshot proves it'

/** Why a chain without its first blocks cannot be copied; undefined for any other. */
export const prunedReason = (store: Pick<Chain['store'], 'historyStart'>): string | undefined => {
  const start = store.historyStart?.()
  return start === undefined
    ? undefined
    : `this node keeps its blocks from ${start} on (--prune-history), and a snapshot has all blocks: write it on a node that keeps them`
}

const PART_SUFFIX = '.part'

/** A quarter of what a slow disk writes, and a tenth of what one core hashes: blocks need the rest. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BURST_BYTES = 1024 * 1024

export type SnapshotsOptions = {
  readonly chain: Pick<Chain, 'store' | 'genesis' | 'configuration' | 'head'>
  readonly dataPath: string
  readonly createYield: CreateYield
  readonly nowMs: () => number
  readonly log: Log
  /** Why the chain cannot be copied; undefined if it can. */
  readonly refusal: () => string | undefined
}

type State = {
  status: SnapshotStatus
  writing: Promise<void> | undefined
  stopped: boolean
}

/** A stopped node ends a snapshot without a report. */
class Stopped extends Error {
  override readonly name = 'Stopped'
}

const reasonOf = (cause: unknown): string => {
  if ((cause as { readonly syscall?: unknown }).syscall !== undefined) return writeFailureReason(cause)
  return errorText(cause)
}

/** Removes what a killed process left. */
const removeParts = (folder: string): void => {
  for (const name of readdirSync(folder))
    if (name.endsWith(PART_SUFFIX)) rmSync(join(folder, name), { force: true })
}

const write = async (
  { chain, createYield, nowMs, log }: SnapshotsOptions,
  state: State,
  begun: WrittenSnapshot,
): Promise<void> => {
  const { path, number } = begun
  let progress = begun
  const startedMs = nowMs()
  const part = `${path}${PART_SUFFIX}`
  const bucket = createTokenBucket(BYTES_PER_SECOND, BURST_BYTES, nowMs)
  try {
    const bytes = await writeSnapshot(chain, number, part, {
      pause: createYield(),
      admit: length => {
        const waitMs = bucket.take(length)
        return waitMs === 0 ? undefined : delay(waitMs)
      },
      onBlock: (block, written) => {
        if (state.stopped) throw new Stopped('the node stops')
        progress = { ...progress, done: block, bytes: written }
        state.status = progress
      },
    })
    renameSync(part, path)
    state.status = { ...progress, state: 'complete', bytes }
    const seconds = (nowMs() - startedMs) / 1000
    log.info('Wrote the snapshot {path}: block {number}, {bytes} bytes, {seconds} s', {
      path,
      number,
      bytes,
      seconds,
    })
  } catch (cause) {
    rmSync(part, { force: true })
    if (cause instanceof Stopped) return
    const reason = reasonOf(cause)
    state.status = { ...progress, state: 'failed', reason }
    log.error('Could not write the snapshot {path}: {reason}', { path, reason })
  }
}

/** Creates the folder and chooses the file. @throws SnapshotRefused */
const placeFor = (folder: string, name: string): string => {
  const path = join(folder, name)
  try {
    mkdirSync(folder, { recursive: true })
    removeParts(folder)
  } catch (cause) {
    throw new SnapshotRefused(`cannot write to ${folder}: ${writeFailureReason(cause)}`)
  }
  if (existsSync(path)) throw new SnapshotRefused(`${path} exists: give another name`)
  return path
}

/** Writes snapshots of a running node, one at a time and in the background. */
export const openSnapshots = (
  options: SnapshotsOptions,
): RpcSnapshots & { readonly stop: () => Promise<void> } => {
  const { chain, dataPath, refusal } = options
  // Clients read the path, who may have another working folder.
  const folder = resolve(dataPath, SNAPSHOT_FOLDER)
  const state: State = { status: { state: 'none' }, writing: undefined, stopped: false }
  return {
    create: name => {
      const reason = refusal() ?? prunedReason(chain.store)
      if (reason !== undefined) throw new SnapshotRefused(reason)
      if (state.writing !== undefined) throw new SnapshotRefused('another snapshot is being written')
      const { header, hash } = chain.head()
      const { number } = header
      if (number === 0n) throw new SnapshotRefused('the chain has the genesis block only')
      const path = placeFor(folder, name ?? `chain-${number}.snapshot`)
      const begun: WrittenSnapshot = { state: 'writing', path, number, hash: toHex(hash), done: 0n, bytes: 0 }
      state.status = begun
      state.writing = write(options, state, begun).finally(() => {
        state.writing = undefined
      })
      return begun
    },
    status: () => state.status,
    stop: async () => {
      state.stopped = true
      await state.writing
    },
  }
}
