import { bodyOf, createEmitter, emitBase, loadItem, storeItem, type Word, wordOf } from './emitter.ts'
import { type Binary, shiftBy, type Unary } from './arithmetic.ts'
import type { CodeSegment } from './segment.ts'
import {
  apply,
  BINARY,
  ensureItems,
  lengthAt,
  type Maker,
  type Simulation,
  UNARY,
  type StackValue,
} from './simulation.ts'

/** The body of a function of WebAssembly with the effect of the segment; its parameter is the index of the top item. */
export const compileSegment = (words: Int32Array, segment: CodeSegment): number[] => {
  const emitter = createEmitter()
  const { needs } = segment
  emitBase(emitter, needs - 1)
  const loaded = new Map<number, Word>()
  const wordFor = (value: StackValue): Word => {
    if ('word' in value) return value.word
    if ('constant' in value) return wordOf(value.constant)
    const known = loaded.get(value.depth)
    if (known !== undefined) return known
    const word = loadItem(emitter, needs - 1 - value.depth)
    loaded.set(value.depth, word)
    return word
  }
  const make: Maker = {
    binary: (op, a, b) => ({ word: (BINARY[op] as Binary)(emitter, wordFor(a), wordFor(b)) }),
    unary: (op, a) => ({ word: (UNARY[op] as Unary)(emitter, wordFor(a)) }),
    shift: (bits, a) => ({ word: shiftBy(emitter, wordFor(a), bits) }),
  }
  const simulation: Simulation = { stack: [], needs: 0 }
  ensureItems(simulation, needs)
  for (let ip = segment.start; ip < segment.end; ip += lengthAt(words, ip)) apply(simulation, words, ip, make)
  const changed = simulation.stack
    .map((value, place) => ({ value, place }))
    .filter(({ value, place }) => !('depth' in value) || value.depth !== needs - 1 - place)
    .map(({ value, place }) => ({ word: wordFor(value), place }))
  for (const { word, place } of changed) storeItem(emitter, place, word)
  return bodyOf(emitter)
}
