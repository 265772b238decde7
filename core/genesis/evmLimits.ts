/**
 * Items of the stack that all frames share. A runtime counts the whole array as used memory even if little of it is used,
 * and allows garbage in proportion: an array of 42 MB for all possible items made full collections three times as long.
 */
export const SHARED_STACK_ITEMS = 32 * 1024

/** Items of one frame's stack, unless a genesis file sets `evmStackSize`. */
export const EVM_STACK_ITEMS = 1024

/** Maximum size of a contract's code in bytes (EIP-170), unless a genesis file sets `contractSizeLimit`. */
export const CODE_SIZE_MAX = 24_576
