import type { Steps } from '../../steps.ts'
import { OP_COMPILED } from '../interpreter/instructions.ts'
import type { Program } from '../interpreter/program.ts'
import { stackMemory } from '../interpreter/stack.ts'
import { compileSegment } from './compileSegment.ts'
import { instantiateSegments, moduleOf, pagesOf } from './module.ts'
import { type CodeSegment, segmentSteps } from './segment.ts'

/** A program whose segments are translated to WebAssembly and not yet compiled by the runtime. */
export type TranslatedProgram = {
  readonly program: Program
  readonly segments: readonly CodeSegment[]
  readonly module: Uint8Array<ArrayBuffer>
}

export type TranslationOptions = {
  /** Segments that save less stay interpreted: a call of a compiled function takes as long as some instructions. */
  readonly weightMin: number
}

/** The options of a node. */
export const HOT_TRANSLATION: TranslationOptions = { weightMin: 5 }
/** The options of tests: every segment is compiled. */
export const WHOLE_TRANSLATION: TranslationOptions = { weightMin: 1 }

/** Segments of one program at most: its module is some 200 KB then. */
const SEGMENTS_MAX = 256

/** Translates the segments of a program. Undefined when none is worth it, or the runtime forbids compiling WebAssembly. */
export function* translateSteps(
  program: Program,
  { weightMin }: TranslationOptions,
): Steps<TranslatedProgram | undefined> {
  if (stackMemory === undefined || program.isStepped || program.codeWindow !== undefined) return undefined
  const all = yield* segmentSteps(program)
  const segments = all.filter(({ weight }) => weight >= weightMin).slice(0, SEGMENTS_MAX)
  if (segments.length === 0) return undefined
  const bodies: (readonly number[])[] = []
  for (const segment of segments) {
    bodies.push(compileSegment(program.words, segment))
    yield
  }
  return { program, segments, module: moduleOf(bodies, pagesOf(stackMemory)) }
}

/** A program that runs compiled segments, with the words that COMPILED instructions replaced. */
type Installed = {
  readonly program: Program
  readonly bytes: number
  readonly replaced: Map<number, Int32Array>
}

/** Bytes of the modules of all programs together; an engine takes several times as much for their code. */
const INSTALLED_BYTES_MAX = 4 * 1024 * 1024

const installed: Installed[] = []
let installedBytes = 0

/** Makes the program run its instructions again. No run is paused within a segment, so this may happen between any two. */
const uninstall = ({ program, bytes, replaced }: Installed): void => {
  for (const [start, words] of replaced) program.words.set(words, start)
  program.compiled = []
  installedBytes -= bytes
}

/** Makes the program run its compiled segments. The programs that were installed longest ago give way beyond the limit. */
export const install = (
  { program, segments, module }: TranslatedProgram,
  compiled: WebAssembly.Module,
): void => {
  if (stackMemory === undefined || program.compiled.length > 0) return
  program.compiled = instantiateSegments(compiled, stackMemory)
  const replaced = new Map<number, Int32Array>()
  segments.forEach(({ start, end, delta }, index) => {
    const instruction = Int32Array.of(OP_COMPILED, index, delta, end - start)
    replaced.set(start, program.words.slice(start, start + instruction.length))
    program.words.set(instruction, start)
  })
  installed.push({ program, bytes: module.length, replaced })
  installedBytes += module.length
  for (const oldest of installed.slice(0, -1)) {
    if (installedBytes <= INSTALLED_BYTES_MAX) break
    uninstall(oldest)
    installed.shift()
  }
}
