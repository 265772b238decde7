import type { CryptoEngine } from './engine.ts'

/** Hashes parts of arrays and views with an engine that hashes whole arrays only. */
export const hashParts = (
  keccak256: CryptoEngine['keccak256'],
): Pick<CryptoEngine, 'keccak256Part' | 'keccak256Words'> => ({
  keccak256Part: (bytes, start, end, output, at) => output.set(keccak256(bytes.subarray(start, end)), at),
  keccak256Words: (view, start, end, words, at) => {
    const { buffer, byteOffset } = keccak256(
      new Uint8Array(view.buffer, view.byteOffset + start, end - start),
    )
    const digest = new DataView(buffer, byteOffset)
    for (let index = 0; index < 8; index++) words[at + index] = digest.getInt32(28 - 4 * index)
  },
})
