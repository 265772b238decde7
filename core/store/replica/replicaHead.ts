import type { Hash } from '../../bytes/bytes.ts'
import { StoreCorruption, verifiedValue, withChecksum } from '../checksum.ts'
import { decodeChainHead, encodeChainHead } from '../codec/chainHead.ts'
import { createReader, MalformedRecord, otherVersion } from '../codec/reader.ts'
import { createWriter } from '../codec/writer.ts'
import { REPLICA_KEY } from '../keys.ts'
import type { ChainHead } from '../store.ts'

/*
 * A replica is a chain that one process copies into a store from which others read. It has the records and the views of a
 * chain store, without journal and flushed height, because each write is atomic and moves the replica to a later block.
 * Accounts and slots have their history, so a write does not disturb readers of an earlier head; trie records are those of
 * the head.
 */

/** First byte of the stored head. Replicas of another version are refused. */
const REPLICA_VERSION = 1

/** Bytes that identify a writer. */
export const WRITER_ID_BYTES = 16

/**
 * Contents of a replica: `chain` all data, `blocks` only data that never changes, for stores that cannot replace values.
 */
export type ReplicaContents = 'chain' | 'blocks'

/**
 * The value that describes the contents of a replica. Only the writer that wrote it replaces it, after all other values.
 */
export type ReplicaHead = {
  readonly contents: ReplicaContents
  /** Counts the writes of this value, from 1. */
  readonly sequence: number
  /** The only writer that may fill the replica: WRITER_ID_BYTES random bytes. */
  readonly writer: Uint8Array
  readonly genesisHash: Hash
  /** Complete sections of the log index. */
  readonly logSections: number
  /** The last block; undefined in a replica without blocks. */
  readonly head: ChainHead | undefined
}

/** The stored form. */
export const encodeReplicaHead = (replica: ReplicaHead): Uint8Array => {
  const writer = createWriter(1000)
  writer.byte(REPLICA_VERSION)
  writer.byte(replica.contents === 'chain' ? 1 : 0)
  writer.varint(replica.sequence)
  writer.raw(replica.writer)
  writer.raw(replica.genesisHash)
  writer.varint(replica.logSections)
  if (replica.head !== undefined) writer.raw(encodeChainHead(replica.head))
  return withChecksum(REPLICA_KEY, writer.finish())
}

/** @throws StoreCorruption for a damaged value; MalformedRecord for one of another version */
export const decodeReplicaHead = (stored: Uint8Array): ReplicaHead => {
  const reader = createReader(verifiedValue(REPLICA_KEY, stored, 0))
  const version = reader.byte()
  if (version !== REPLICA_VERSION) throw otherVersion('the replica has', version, REPLICA_VERSION)
  const kind = reader.byte()
  if (kind > 1) throw new MalformedRecord(`a replica has no contents of kind ${kind}`)
  const contents = kind === 1 ? 'chain' : 'blocks'
  const sequence = reader.varint()
  const writer = reader.copy(WRITER_ID_BYTES)
  const genesisHash = reader.copy(32)
  const logSections = reader.varint()
  const head = reader.done ? undefined : decodeChainHead(reader.rest())
  return { contents, sequence, writer, genesisHash, logSections, head }
}

/** Height of a replica; -1 without blocks. */
export const heightOf = ({ head }: ReplicaHead): number =>
  head === undefined ? -1 : Number(head.header.number)

/** A part of a replica that its head promises is missing. */
export const missingInReplica = (key: string, block: number): StoreCorruption =>
  new StoreCorruption(
    key,
    block,
    'it is missing from the replica',
    'remove all keys of the replica: the node that fills it starts again from the first block',
  )
