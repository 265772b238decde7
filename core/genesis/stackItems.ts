/**
 * Items that are on the stack at once. A runtime counts the whole array as memory in use, however little of it is touched,
 * and lets garbage grow to some times that: 42 MB for all items there can be made full collections three times as long.
 */
export const STACK_ITEMS = 32 * 1024
