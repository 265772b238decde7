import type { Program } from '../interpreter/program.ts'

/** Called once for each program, when it has begun so many calls. */
export type HotProgramListener = { readonly calls: number; readonly onHot: (program: Program) => void }

/** Calls that show that a program is used again and again, not by one transaction alone. */
export const HOT_CALLS = 16

let listener: HotProgramListener | undefined

/** Sets what this thread does with programs that are often called; undefined for nothing, the default. */
export const onHotPrograms = (next: HotProgramListener | undefined): void => {
  listener = next
}

/** Counts a call of deployed code. */
export const countCall = (program: Program): void => {
  program.calls++
  if (listener !== undefined && program.calls === listener.calls) listener.onHot(program)
}
