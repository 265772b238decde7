/**
 * What a conditional write expects to find under a key: exactly this value, or nothing when it is undefined. Writers of one
 * shared store exclude each other by it (compare-and-set).
 */
export type EntryCondition = { readonly key: string; readonly value: Uint8Array | undefined }
