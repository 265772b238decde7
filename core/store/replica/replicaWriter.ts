import { equalBytes, type Hash } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import { runStepsYielding, type Steps } from '../../steps.ts'
import { createTrieCache } from '../../trie/nodes/cache.ts'
import type { TrieNodeReader } from '../../trie/nodes/node.ts'
import { verifiedValue, withChecksumSteps } from '../checksum.ts'
import { cacheFlushed, immutableEntries, prepareFlush, type PreparedFlush } from '../flushing/flush.ts'
import {
  addChangesSteps,
  addHead,
  addNodesSteps,
  createMemtable,
  type Memtable,
} from '../flushing/memtable.ts'
import type { KeyValueEntry, KeyValueStore } from '../keyvalue/keyvalue.ts'
import { nodeKey, REPLICA_KEY, segmentKey } from '../keys.ts'
import { LOG_GROUP_SECTIONS, LOG_SECTION_BLOCKS } from '../limits.ts'
import { groupTable } from '../logs/postings.ts'
import { commitOfSegmentSteps, recomputeNodes } from '../recovery/recover.ts'
import type { ChainHead } from '../store.ts'
import { createViews, type Views } from '../views/views.ts'
import {
  decodeReplicaHead,
  encodeReplicaHead,
  heightOf,
  missingInReplica,
  type ReplicaContents,
  type ReplicaHead,
} from './replicaHead.ts'
import { addLogsSteps, groupEntries, type OpenSection, sectionEntries } from './replicaLogs.ts'

/** Steps of decoding and adding between two pauses: about a millisecond. */
const STEPS_PER_PAUSE = 4

export type ReplicaWriterOptions = {
  /** WRITER_ID_BYTES random bytes that identify this process. */
  readonly writer: Uint8Array
  readonly genesisHash: Hash
  readonly contents: ReplicaContents
}

/** Fills one replica. After an error it must not be used again: open another writer. */
export type ReplicaWriter = {
  readonly replica: () => ReplicaHead
  /**
   * Adds the blocks after the head, in one write.
   * @param segments the encoded records of the blocks, in order; at least one
   * @throws ReplicaFenced; ReplicaReverted; ReplicaDiffers when the first one does not follow the head
   */
  write(segments: readonly Uint8Array[]): Promise<void>
}

/** State of a writer: the stored head, and caches of the stored data. */
type WriterState = {
  readonly kv: KeyValueStore
  readonly views: Views
  readonly trie: ReturnType<typeof createTrieCache>
  readonly openSection: OpenSection
  /** Groups of log sections that are known to be stored: an earlier release made none. */
  groups: number
  replica: ReplicaHead
  /** The stored form of `replica`, which the next write expects. */
  stored: Uint8Array
}

const setIf = (kv: KeyValueStore): NonNullable<KeyValueStore['setIf']> => {
  if (kv.setIf === undefined) throw new Error('a replica needs a store with conditional writes')
  return kv.setIf
}

/** Reads trie records of the batch in progress, and below them those of the replica. */
const nodesOver = ({ views, trie }: WriterState, memtable: Memtable): TrieNodeReader => ({
  get: key => (memtable.nodes.has(key) ? memtable.nodes.get(key) : views.node(nodeKey(key))),
  cache: trie,
})

/** @throws ReplicaDiffers */
const requireNext = (head: ChainHead | undefined, next: ChainHead): void => {
  const number = head === undefined ? 0n : head.header.number + 1n
  if (next.header.number !== number)
    throw new ReplicaDiffers(`block ${next.header.number} is not the next block, ${number}`)
  if (head !== undefined && !equalBytes(next.header.parentHash, head.hash))
    throw new ReplicaDiffers(
      `block ${number} has the parent ${toHex(next.header.parentHash)}, the replica ends with ${toHex(head.hash)}`,
    )
}

const addBlock = async (state: WriterState, memtable: Memtable, segment: Uint8Array): Promise<ChainHead> => {
  const { kv, views } = state
  const inSteps = <Result>(steps: Steps<Result>): Promise<Result> =>
    runStepsYielding(steps, () => kv.pause(), STEPS_PER_PAUSE)
  const commit = await inSteps(commitOfSegmentSteps(segment))
  const head = { header: commit.block.header, hash: commit.hash, totalDifficulty: commit.totalDifficulty }
  const parent = memtable.heads.at(-1) ?? state.replica.head
  requireNext(parent, head)
  await kv.pause()
  const nodes =
    state.replica.contents === 'blocks'
      ? []
      : await views.run(() => recomputeNodes(nodesOver(state, memtable), parent?.header.stateRoot, commit))
  await kv.pause()
  await inSteps(addChangesSteps(memtable, commit))
  await inSteps(addNodesSteps(memtable, nodes, () => undefined))
  addHead(memtable, commit)
  await inSteps(addLogsSteps(state.openSection, Number(head.header.number), segment))
  await kv.pause()
  return head
}

const readSegment = async (kv: KeyValueStore, number: number): Promise<Uint8Array> => {
  const key = segmentKey(number)
  const stored = await kv.get(key)
  if (stored === undefined) throw missingInReplica(key, number)
  return verifiedValue(key, stored, number)
}

/** The sections of the log index that end at or below the height and are not stored. */
const newSections = async ({ kv, replica, openSection }: WriterState, height: number) => {
  const entries: KeyValueEntry[] = []
  let { logSections } = replica
  for (; (logSections + 1) * LOG_SECTION_BLOCKS <= height + 1; logSections++)
    entries.push(...(await sectionEntries(openSection, logSections, number => readSegment(kv, number))))
  return { entries, logSections }
}

/**
 * The next group of log sections that is complete and not stored yet: one in each write, so that a replica of an earlier release
 * gets its groups little by little.
 */
const newGroup = async (
  state: WriterState,
  logSections: number,
  written: readonly KeyValueEntry[],
): Promise<readonly KeyValueEntry[]> => {
  const { kv, groups } = state
  if ((groups + 1) * LOG_GROUP_SECTIONS > logSections) return []
  state.groups++
  if ((await kv.get(groupTable(groups).head)) !== undefined) return []
  const own = new Map(written.map(({ key, value }) => [key, value]))
  const fetch = async (key: string): Promise<Uint8Array | undefined> => {
    const stored = own.get(key) ?? (await kv.get(key))
    return stored === undefined ? undefined : verifiedValue(key, stored, heightOf(state.replica))
  }
  return groupEntries({ fetch, pause: () => kv.pause() }, groups)
}

/** Drops the fingerprints of complete sections. */
const trimSection = ({ openSection, replica }: WriterState): void => {
  for (const number of openSection.keys())
    if (number < replica.logSections * LOG_SECTION_BLOCKS) openSection.delete(number)
}

/** Replaces the head of the replica, with the entries. @throws ReplicaFenced, ReplicaReverted */
const replaceHead = async (
  kv: KeyValueStore,
  expected: Uint8Array | undefined,
  value: Uint8Array,
  entries: readonly KeyValueEntry[],
): Promise<void> => {
  const condition = { key: REPLICA_KEY, value: expected }
  if (await setIf(kv)(condition, [...entries, { key: REPLICA_KEY, value }])) return
  // A storage client may repeat a write after a lost connection although the first one arrived.
  const found = await kv.get(REPLICA_KEY)
  if (found !== undefined && equalBytes(found, value)) return
  const isOwn = found !== undefined && equalBytes(writerOf(found), writerOf(value))
  throw isOwn ? new ReplicaReverted() : new ReplicaFenced(found)
}

const writerOf = (stored: Uint8Array): Uint8Array => decodeReplicaHead(stored).writer

const write = async (state: WriterState, segments: readonly Uint8Array[]): Promise<void> => {
  const { kv, views, replica } = state
  const memtable = createMemtable()
  const records: KeyValueEntry[] = []
  let head: ChainHead | undefined
  for (const segment of segments) {
    head = await addBlock(state, memtable, segment)
    const key = segmentKey(Number(head.header.number))
    const value = await runStepsYielding(withChecksumSteps(key, segment), () => kv.pause())
    records.push({ key, value })
  }
  if (head === undefined) return
  const height = Number(head.header.number)
  const sections = await newSections(state, height)
  const group = await newGroup(state, sections.logSections, sections.entries)
  const whole = replica.contents === 'chain'
  const prepared: PreparedFlush | undefined = whole ? await prepareFlush(kv, views, memtable) : undefined
  const entries = prepared?.entries ?? (await immutableEntries(kv, memtable))
  const next = { ...replica, sequence: replica.sequence + 1, logSections: sections.logSections, head }
  const stored = encodeReplicaHead(next)
  await replaceHead(kv, state.stored, stored, [...records, ...entries, ...sections.entries, ...group])
  state.replica = next
  state.stored = stored
  if (prepared !== undefined) await cacheFlushed(kv, views, memtable, prepared)
  views.endWriting(height)
  trimSection(state)
}

/**
 * Attempts to become the owner: a write of a killed owner may still arrive between the read and the write of an attempt, and
 * the owner of a busy chain writes several times a second.
 */
const TAKE_OVER_ATTEMPTS = 8

const isOfOtherHead = (error: unknown): boolean =>
  error instanceof ReplicaFenced || error instanceof ReplicaReverted

type Taken = { readonly replica: ReplicaHead; readonly stored: Uint8Array }

/** Makes this writer the owner of the replica. Writes of the previous owner then fail (fencing). @throws ReplicaFenced */
const takeOver = async (kv: KeyValueStore, options: ReplicaWriterOptions): Promise<Taken> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await takeOverOnce(kv, options)
    } catch (error) {
      if (!isOfOtherHead(error) || attempt === TAKE_OVER_ATTEMPTS) throw error
    }
}

const takeOverOnce = async (
  kv: KeyValueStore,
  { writer, genesisHash, contents }: ReplicaWriterOptions,
): Promise<Taken> => {
  const before = await kv.get(REPLICA_KEY)
  const known = before === undefined ? undefined : decodeReplicaHead(before)
  if (known !== undefined && !equalBytes(known.genesisHash, genesisHash))
    throw new ReplicaDiffers(
      `it holds the chain of genesis block ${toHex(known.genesisHash)}, this node has the chain of ${toHex(genesisHash)}`,
    )
  if (known !== undefined && known.contents !== contents)
    throw new ReplicaDiffers(`it was filled with ${known.contents}, this node would fill it with ${contents}`)
  const replica: ReplicaHead = {
    contents,
    sequence: (known?.sequence ?? 0) + 1,
    writer,
    genesisHash,
    logSections: known?.logSections ?? 0,
    head: known?.head,
  }
  const stored = encodeReplicaHead(replica)
  await replaceHead(kv, before, stored, [])
  return { replica, stored }
}

/**
 * Opens the replica in a store for writing, or creates one in an empty store. Writes of earlier writers then fail.
 * @throws ReplicaDiffers for a replica of another chain; ReplicaFenced when others keep writing to it;
 * StoreCorruption
 */
export const openReplicaWriter = async (
  kv: KeyValueStore,
  options: ReplicaWriterOptions,
): Promise<ReplicaWriter> => {
  const taken = await takeOver(kv, options)
  const state: WriterState = {
    kv,
    views: createViews(kv, heightOf(taken.replica)),
    trie: createTrieCache(),
    openSection: new Map(),
    groups: 0,
    ...taken,
  }
  return { replica: () => state.replica, write: segments => write(state, segments) }
}

/** Another process writes the replica. The refused write stored nothing. */
export class ReplicaFenced extends Error {
  override readonly name = 'ReplicaFenced'
  readonly code = 'REPLICA_FENCED'
  /** @param found the stored head that was found instead */
  constructor(found: Uint8Array | undefined) {
    super(
      found === undefined
        ? 'the replica was removed from the store'
        : `another writer has the replica: ${toHex(decodeReplicaHead(found).writer)}; let one node alone fill it`,
    )
  }
}

/** The store has an earlier head of this writer: its server lost the last writes, as one that took over from another may have. */
class ReplicaReverted extends Error {
  override readonly name = 'ReplicaReverted'
  readonly code = 'REPLICA_REVERTED'
  constructor() {
    super('the store has lost the last writes of this node, which are written again')
  }
}

/** The replica is of another chain, or has other contents, than this node would write. */
export class ReplicaDiffers extends Error {
  override readonly name = 'ReplicaDiffers'
  readonly code = 'REPLICA_DIFFERS'
  constructor(how: string) {
    super(
      `the replica does not fit this node: ${how}. Give another store, or remove all keys of the replica to fill it again`,
    )
  }
}
