import type { Address, Hash } from '../bytes/bytes.ts'
import { toBareHex } from '../bytes/hex.ts'

/*
 * Keys are lower-case words, digits and colons, which every unstorage driver keeps unchanged. Segments (encoded block
 * records) and headers have sequential numbers, which a driver may store separately, as runtime/drivers/sqlite.ts does. All
 * values except the segments and their parts are views.
 *
 * - segment:N: the record of block N, or the list of its parts if it is large; the only value that commits it
 * - part:N:I: a part of the record of block N
 * - history:0, history:1: the first block whose record is kept, written one after the other; history:2: the progress of removing
 *   those below (core/store/pruning). Beside the segments, because views cannot be rebuilt without the removed ones
 * - header:N: header, hash and total difficulty of block N
 * - a:ADDRESS: account at the head, and its history
 * - s:ADDRESS INCARNATION SLOT: storage slot at the head, and its history
 * - h:KEY LEVEL INDEX: a full page of the history of an account or slot
 * - n:KEY: trie record
 * - c:HASH: code
 * - cl:HASH: list of the parts of large code
 * - cp:HASH:I: a part of large code
 * - b:HASH: number of the block with that hash
 * - t:HASH: block and index of the transaction with that hash
 * - logs:SECTION: head of a section of the log index, with its postings if they are few
 * - logs:SECTION:PARTITION: the other postings of a section
 * - logs:group:GROUP, logs:group:GROUP:PARTITION: the same for the sections of a group
 * - logs:mark:0, logs:mark:1: number of complete sections and groups, written alternately
 * - mark:0, mark:1: the flushed height, up to which the views are complete, written alternately
 * - chain:id: the chain id of the genesis file, which is no part of its hash
 * - journal:I, intent: the entries that a flush in progress writes, and the mark that they are complete
 * - a:ADDRESS@N, s:ADDRESS INCARNATION SLOT@N: on a forked chain, the value after block N of the other network (never stored)
 * - replica: head of a replica, a store that another process fills (core/store/replica); no other store has it
 * - room: written and removed to check whether a full disk has free space again
 */
export const ROOM_KEY = 'room'
export const REPLICA_KEY = 'replica'
export const CHAIN_ID_KEY = 'chain:id'
export const INTENT_KEY = 'intent'
export const flushedHeightKey = (slot: number): string => `mark:${slot}`
export const segmentKey = (number: number): string => `segment:${number}`
export const partKey = (number: number, index: number): string => `part:${number}:${index}`
export const historyMarkKey = (slot: number): string => `history:${slot}`
export const REMOVED_KEY: string = historyMarkKey(2)
export const headerKey = (number: number): string => `header:${number}`
export const accountKey = (address: Address): string => `a:${toBareHex(address)}`
/** The incarnation of nearly all contracts, which were never destroyed. */
const FIRST_INCARNATION = '0'.repeat(16)
const incarnationText = (incarnation: bigint): string =>
  incarnation === 0n ? FIRST_INCARNATION : incarnation.toString(16).padStart(16, '0')
export const slotKey = (address: Address, incarnation: bigint, slot: Uint8Array): string =>
  `s:${toBareHex(address)}${incarnationText(incarnation)}${toBareHex(slot)}`
/** The value of an account or slot after a block below the fork block. */
export const pastKey = (key: string, number: number): string => `${key}@${number}`
/** `key` is the key of the account or slot. */
export const historyPageKey = (key: string, level: number, index: number): string =>
  `h:${key.slice(2)}${level.toString(16).padStart(2, '0')}${index.toString(16).padStart(8, '0')}`
export const nodeKey = (key: string): string => `n:${key}`
export const codeKey = (codeHash: Hash): string => `c:${toBareHex(codeHash)}`
/** `key` is the key of the code. */
export const codeListKey = (key: string): string => `cl:${key.slice(2)}`
export const codePartKey = (key: string, index: number): string => `cp:${key.slice(2)}:${index}`
export const blockHashKey = (hash: Hash): string => `b:${toBareHex(hash)}`
/** `digits` are the hex digits of the hash. */
export const transactionKey = (digits: string): string => `t:${digits}`
export const journalKey = (index: number): string => `journal:${index}`
export const logSectionKey = (section: number): string => `logs:${section}`
export const logPartitionKey = (section: number, partition: number): string => `logs:${section}:${partition}`
export const logGroupKey = (group: number): string => `logs:group:${group}`
export const logGroupPartitionKey = (group: number, partition: number): string =>
  `logs:group:${group}:${partition}`
export const logProgressKey = (slot: number): string => `logs:mark:${slot}`
