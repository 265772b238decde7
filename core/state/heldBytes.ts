/*
 * Estimates of the memory that the state of a block's execution holds, in bytes: measured on Bun and Node, rounded up.
 */

/** An account with its address, its entries in the tables and its first changes. */
export const ACCOUNT_HELD_BYTES = 600

/** A slot: its limbs, its places in the index, and a share of the unused room of its table. */
export const SLOT_HELD_BYTES = 200

/** An entry of the undo log. */
export const UNDO_HELD_BYTES = 64

/** A log with its arrays, beside its data. */
export const LOG_HELD_BYTES = 300
export const TOPIC_HELD_BYTES = 150
