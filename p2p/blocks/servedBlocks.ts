/** Blocks kept for requests: older ones are requested in ranges. */
const BLOCKS_MAX = 8
const BYTES_MAX = 32 * 1024 * 1024

/** The last announced blocks, by the hex digits of their hash. */
export type ServedBlocks = {
  get(key: string): Uint8Array | undefined
  has(key: string): boolean
  add(key: string, block: Uint8Array): void
}

/** Keeps the last announced blocks within limits of count and bytes, and always the last one. */
export const createServedBlocks = (): ServedBlocks => {
  const blocks = new Map<string, Uint8Array>()
  let bytes = 0
  return {
    get: key => blocks.get(key),
    has: key => blocks.has(key),
    add: (key, block) => {
      if (blocks.has(key)) return
      blocks.set(key, block)
      bytes += block.length
      for (const [oldest, oldestBlock] of blocks) {
        if (blocks.size <= BLOCKS_MAX && (bytes <= BYTES_MAX || blocks.size === 1)) return
        blocks.delete(oldest)
        bytes -= oldestBlock.length
      }
    },
  }
}
