/**
 * Entries of a genesis file that was written just now. After an older one block 1 may be empty at once: its empty-block period,
 * counted from the timestamp of block 0, is over.
 */
export const foundedNow = (): object => ({ timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}` })
