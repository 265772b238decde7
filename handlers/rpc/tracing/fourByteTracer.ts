import { toHex } from '../../../core/bytes/hex.ts'
import type { TracerKind } from './traced.ts'

const SELECTOR_BYTES = 4

/** geth's 4byteTracer: how often each selector was called with how many bytes behind it, precompiles left out. */
export const fourByteTracer: TracerKind = (_, budget) => {
  const counts = new Map<string, number>()
  return {
    hooks: {
      onEnter: ({ kind, input, isPrecompile }) => {
        if (kind === 'CREATE' || kind === 'CREATE2' || isPrecompile || input.length < SELECTOR_BYTES) return
        const key = `${toHex(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`
        const count = counts.get(key) ?? 0
        if (count === 0) budget.spend(key.length + 8)
        counts.set(key, count + 1)
      },
    },
    finish: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
