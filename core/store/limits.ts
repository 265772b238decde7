/*
 * What bounds the memory and the start of a chain store. Sizes are estimates of what a value costs in memory, key and
 * object included, so that they bound what a process really uses.
 */

/** Blocks above the views at which a flush begins: bounds what a start replays on a quiet chain. */
export const FLUSH_BLOCKS = 256

/** Bytes kept above the views at which a flush begins, some 50,000 transactions between 11,000 accounts: bounds what a start replays on a busy chain. */
export const FLUSH_BYTES = 12 * 1024 * 1024

/** Bytes kept above the views at which a commit waits for the flush; without it a slow disk would fill the memory. */
export const PENDING_BYTES_MAX = 3 * FLUSH_BYTES

/** Blocks kept above the views at which a commit waits for the flush: no start replays more than these. */
export const PENDING_BLOCKS_MAX = 4 * FLUSH_BLOCKS

/** Blocks that are in memory alone, where whoever commits does not wait for each: what a stop loses at most. */
export const UNWRITTEN_BLOCKS_MAX = 64

/** Bytes of such blocks. */
export const UNWRITTEN_BYTES_MAX = 4 * 1024 * 1024

/**
 * From so many transactions, logs and changes together on a commit lets other work run between its steps: encoding, writing and
 * keeping them each take some microseconds.
 */
export const YIELDING_ITEMS = 600

/** Receipts or changes that a commit encodes before it lets other work run: about a millisecond. */
export const SEGMENT_STEP_ITEMS = 1_024

/** Transactions, accounts and slots that are taken into memory before other work runs: one to two milliseconds. */
export const ADD_STEP_ITEMS = 512

/** Bytes that must fit on the disk before a store that failed takes commits again. */
export const ROOM_BYTES = 256 * 1024

/** Entries a flush writes before it lets other work run: 1 to 3 ms with SQLite. */
export const FLUSH_SLICE_ENTRIES = 128

/** Bytes a flush writes before it lets other work run. */
export const FLUSH_SLICE_BYTES = 256 * 1024

/** Bytes of one value of the journal, some thousand entries: encoding and writing it takes about a millisecond. */
export const JOURNAL_CHUNK_BYTES = 128 * 1024

/** Changes in one history page. */
export const HISTORY_PAGE_CHANGES = 32

/** Pages that one history directory page refers to: 32 * 256 * 256 changes of one key lie within three lookups. */
export const HISTORY_DIRECTORY_PAGES = 256

/** Blocks whose hash and header stay in memory; BLOCKHASH asks for 256. */
export const RECENT_BLOCKS = 256

export const ACCOUNT_CACHE_BYTES = 12 * 1024 * 1024
export const SLOT_CACHE_BYTES = 12 * 1024 * 1024
export const NODE_CACHE_BYTES = 8 * 1024 * 1024
export const CODE_CACHE_BYTES = 8 * 1024 * 1024
export const HISTORY_CACHE_BYTES = 4 * 1024 * 1024
/** Some 4,000 transactions, decoded: more objects than that are too much to collect. */
export const RECORD_CACHE_BYTES = 4 * 1024 * 1024

/** Entries that one `run` may load; a call that needs more is refused instead of filling the memory. */
export const RUN_ENTRIES_MAX = 200_000

/** Reads in flight at once for one `run` over an asynchronous store. */
export const LOADS_AT_ONCE = 64

/** Blocks of one section of the log index; which of them one is takes a byte. A search reads each section in its range. */
export const LOG_SECTION_BLOCKS = 64

/** Postings of one partition of a section: sorting them takes about a millisecond, reading them much less. */
export const LOG_PARTITION_POSTINGS = 8192

/** Sections after which the mark of the log index is stored, while it has to make up for many: a sync each. */
export const LOG_PROGRESS_SECTIONS = 16

/** Of the logs of blocks that no stored section has yet; some 500 blocks of 1,000 token transfers each take half of it. */
export const LOG_RECENT_BYTES = 16 * 1024 * 1024
