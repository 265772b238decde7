/*
 * Limits on the memory and the start-up time of a chain store. Sizes are estimates of the memory of a value with its key
 * and object.
 */

/** Unflushed blocks at which a flush starts; bounds the replay at start on a quiet chain. */
export const FLUSH_BLOCKS = 256

/**
 * Unflushed bytes at which a flush starts, some 50,000 transactions between 11,000 accounts; bounds the replay at start on
 * a busy chain.
 */
export const FLUSH_BYTES = 12 * 1024 * 1024

/** Unflushed bytes at which a commit waits for the flush; without this limit a slow disk would fill the memory. */
export const PENDING_BYTES_MAX = 3 * FLUSH_BYTES

/** Unflushed blocks at which a commit waits for the flush: no start replays more. */
export const PENDING_BLOCKS_MAX = 4 * FLUSH_BLOCKS

/** Committed blocks that may be only in memory when the caller does not wait for each write; a stop loses them. */
export const UNWRITTEN_BLOCKS_MAX = 64

/** Bytes of such blocks. */
export const UNWRITTEN_BYTES_MAX = 4 * 1024 * 1024

/**
 * Number of transactions, logs and changes from which a commit yields between its steps: each takes some microseconds to
 * encode, write and store.
 */
export const YIELDING_ITEMS = 600

/** Receipts or changes that a commit encodes between two yields: about a millisecond. */
export const SEGMENT_STEP_ITEMS = 1_024

/** Code above this is stored in parts; below, reading and checking it takes less than ten milliseconds. */
export const CODE_WHOLE_BYTES = 1024 * 1024

/** Bytes of a part of large code. */
export const CODE_PART_BYTES = 256 * 1024

/** Receipts, logs or changes that a read decodes between two yields: about a tenth of a millisecond. */
export const READING_STEP_ITEMS = 128

/** Bytes of one part of a large segment: writing, reading or checking it takes one to two milliseconds. */
export const SEGMENT_PART_BYTES = 256 * 1024

/** A segment with more parts than this is stored in parts, because one write would take SQLite 4 ms for each megabyte. */
export const SEGMENT_WHOLE_PARTS = 4

/** Transactions, accounts and slots added to a memtable between two yields: one to two milliseconds. */
export const ADD_STEP_ITEMS = 512

/** Free bytes that a failed store needs before it accepts commits again. */
export const ROOM_BYTES = 256 * 1024

/** Entries that a flush writes between two pauses: 1 to 3 ms with SQLite. */
export const FLUSH_SLICE_ENTRIES = 128

/** Bytes that a flush writes between two pauses. */
export const FLUSH_SLICE_BYTES = 256 * 1024

/** Bytes of one journal chunk, some thousand entries: encoding and writing it takes about a millisecond. */
export const JOURNAL_CHUNK_BYTES = 128 * 1024

/** Changes in one history page. */
export const HISTORY_PAGE_CHANGES = 32

/** Pages that one history directory page refers to: 32 * 256 * 256 changes of one key are reached with three lookups. */
export const HISTORY_DIRECTORY_PAGES = 256

/** Blocks whose hash and header stay in memory; BLOCKHASH reaches 256. */
export const RECENT_BLOCKS = 256

export const ACCOUNT_CACHE_BYTES = 12 * 1024 * 1024
export const SLOT_CACHE_BYTES = 12 * 1024 * 1024
export const NODE_CACHE_BYTES = 8 * 1024 * 1024
/** Holds two of the largest contracts that are known, of 16 MB: reading one again takes a tenth of a second. */
export const CODE_CACHE_BYTES = 32 * 1024 * 1024
export const HISTORY_CACHE_BYTES = 4 * 1024 * 1024
/** Some 4,000 decoded transactions: more objects would burden garbage collection. */
export const RECORD_CACHE_BYTES = 4 * 1024 * 1024

/** Entries that one `run` may load; a call that needs more is refused, so that it cannot fill the memory. */
export const RUN_ENTRIES_MAX = 200_000

/** Parallel reads of one `run` over an asynchronous store. */
export const LOADS_AT_ONCE = 64

/**
 * Fewest blocks that `--prune-history` keeps: proofs and fee histories reach 1,024 blocks back, a start replays as many
 * (PENDING_BLOCKS_MAX), and peers that were away for some minutes ask for them.
 */
export const HISTORY_BLOCKS_MIN = 1024

/** Blocks by which the start of the history moves at once: each move needs two syncs, and rewrites accounts and slots. */
export const HISTORY_STEP_BLOCKS = 64

/** Blocks of one section of the log index; their index fits a byte. A search reads each section that its group names. */
export const LOG_SECTION_BLOCKS = 64

/** Sections of one group, 4,096 blocks; their index fits a byte. A search reads each group in its range. */
export const LOG_GROUP_SECTIONS = 64

/**
 * Fingerprints of the sections of a group, which are in memory together while the group is stored: 16 MiB. Later sections
 * of such a group are read by every search, as if there were no group.
 */
export const LOG_GROUP_FINGERPRINTS_MAX = 4 * 1024 * 1024

/** Partitions that a search for many values reads between two pauses: about a millisecond. */
export const LOG_PARTITIONS_AT_ONCE = 16

/** Postings of one partition of a section: sorting them takes about a millisecond, reading them much less. */
export const LOG_PARTITION_POSTINGS = 8192

/** Sections between two writes of the index progress during a long rebuild: each needs a sync. */
export const LOG_PROGRESS_SECTIONS = 16

/**
 * Limit on the fingerprints of blocks that are in no stored section; 500 blocks of 1,000 token transfers take half of it.
 */
export const LOG_RECENT_BYTES = 16 * 1024 * 1024
