import { toHex } from '../../../core/bytes/hex.ts'
import type { TracerKind } from './traced.ts'

const SELECTOR_BYTES = 4

/** geth's 4byteTracer: counts calls by selector and size of the arguments, without precompiles. */
export const fourByteTracer: TracerKind = (_, budget) => {
  const counts = new Map<string, number>()
  return {
    hooks: {
      onEnter: call => {
        const { kind, isPrecompile, inputSize } = call
        budget.add(0)
        if (kind === 'CREATE' || kind === 'CREATE2' || isPrecompile || inputSize < SELECTOR_BYTES) return
        const key = `${toHex(call.startOfInput(SELECTOR_BYTES))}-${inputSize - SELECTOR_BYTES}`
        const count = counts.get(key) ?? 0
        if (count === 0) budget.add(key.length + 8)
        counts.set(key, count + 1)
      },
    },
    finish: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}
