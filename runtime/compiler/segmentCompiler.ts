import {
  HOT_TRANSLATION,
  install,
  translateSteps,
  WHOLE_TRANSLATION,
} from '../../core/evm/compiled/compiler.ts'
import { HOT_CALLS, onHotPrograms } from '../../core/evm/compiled/hotPrograms.ts'
import type { Program } from '../../core/evm/interpreter/program.ts'
import { runSteps, runStepsYielding } from '../../core/steps.ts'
import { createYield } from '../scheduler.ts'

/** Programs that wait to be compiled. One that becomes hot while so many wait stays interpreted. */
const WAITING_MAX = 64

/**
 * Compiles the segments of programs that become hot on this thread, one program after another: translates them in steps of the
 * event loop, and lets the runtime compile the modules on its own threads.
 */
export const startSegmentCompiler = (onError: (error: unknown) => void): void => {
  const waiting: Program[] = []
  const yieldTurn = createYield()
  let isCompiling = false

  const compile = async (program: Program): Promise<void> => {
    const translated = await runStepsYielding(translateSteps(program, HOT_TRANSLATION), yieldTurn)
    if (translated !== undefined) install(translated, await WebAssembly.compile(translated.module))
  }

  const compileAll = async (): Promise<void> => {
    isCompiling = true
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
      try {
        await compile(program)
      } catch (error) {
        onError(error)
      }
    }
    isCompiling = false
  }

  onHotPrograms({
    calls: HOT_CALLS,
    onHot: program => {
      if (waiting.length >= WAITING_MAX) return
      waiting.push(program)
      if (!isCompiling) void compileAll()
    },
  })
}

/** Compiles whatever can be compiled at the first call of each program, synchronously. For tests. */
export const compileAtFirstCall = (): void =>
  onHotPrograms({
    calls: 1,
    onHot: program => {
      const translated = runSteps(translateSteps(program, WHOLE_TRANSLATION))
      if (translated !== undefined) install(translated, new WebAssembly.Module(translated.module))
    },
  })
