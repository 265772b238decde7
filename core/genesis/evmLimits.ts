/**
 * Limit on the items of all stacks at once. A runtime counts the whole array as used memory, however little of it is touched,
 * and lets garbage grow in proportion: the 42 MB of an array for all possible items made full collections three times as long.
 */
export const SHARED_STACK_ITEMS = 32 * 1024

/** Items of one frame's stack, unless a genesis file sets `evmStackSize`. */
export const EVM_STACK_ITEMS = 1024

/** Maximum size of a contract's code in bytes (EIP-170), unless a genesis file sets `contractSizeLimit`. */
export const CODE_SIZE_MAX = 24_576
