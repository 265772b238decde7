/** Gas costs that several operations share (Yellow Paper, appendix G). */

/** G_newaccount: a call or a SELFDESTRUCT that creates its recipient. */
export const NEW_ACCOUNT_GAS = 25000
/** G_callstipend: extra gas for a callee that receives wei, so that it can write a log. */
export const STIPEND_GAS = 2300
/** G_keccak256word: for each word that is hashed. */
export const HASH_WORD_GAS = 6
