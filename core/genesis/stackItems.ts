/**
 * Limit on the items of all stacks at once. A runtime counts the whole array as used memory, however little of it is touched,
 * and lets garbage grow in proportion: the 42 MB of an array for all possible items made full collections three times as long.
 */
export const STACK_ITEMS = 32 * 1024
