/**
 * The condition of a compare-and-set write: the key has exactly this value, or no value when it is undefined. Writers of
 * one shared store exclude each other with it.
 */
export type EntryCondition = { readonly key: string; readonly value: Uint8Array | undefined }
