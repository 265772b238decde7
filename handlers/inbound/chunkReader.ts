/** Reads a stream chunk by chunk. */
export type ChunkReader = {
  /** Resolves to undefined at the end. */
  readonly read: () => Promise<Uint8Array | undefined>
  readonly cancel: () => Promise<void>
}

/** As much as Deno passes on at once. */
const BUFFER_BYTES = 64 * 1024

const openWhole = (stream: ReadableStream<Uint8Array>): ChunkReader => {
  const reader = stream.getReader()
  return {
    read: async () => {
      const { done, value } = await reader.read()
      return done ? undefined : value
    },
    cancel: () => reader.cancel(),
  }
}

/** Reads into one buffer, and copies what has come. */
const openBuffered = (reader: ReadableStreamBYOBReader): ChunkReader => {
  let buffer = new Uint8Array(BUFFER_BYTES)
  return {
    read: async () => {
      const { done, value } = await reader.read(buffer)
      if (done || value === undefined) return undefined
      buffer = new Uint8Array(value.buffer)
      return value.slice()
    },
    cancel: () => reader.cancel(),
  }
}

/** Undefined for a stream of a program that is not one of bytes. */
const byteReader = (stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined => {
  try {
    return stream.getReader({ mode: 'byob' })
  } catch {
    return undefined
  }
}

/**
 * Deno otherwise allocates 64 KB for each chunk, however short it is: a gigabyte for twenty thousand, which take twice as long.
 */
export const openChunkReader = (stream: ReadableStream<Uint8Array>): ChunkReader => {
  const buffered = 'Deno' in globalThis ? byteReader(stream) : undefined
  return buffered === undefined ? openWhole(stream) : openBuffered(buffered)
}
