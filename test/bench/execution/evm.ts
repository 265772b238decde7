import { setImmediate } from 'node:timers/promises'
import { HOT_CALLS } from '../../../core/evm/compiled/hotPrograms.ts'
import { type Anvil, startAnvil } from '../engines/anvil.ts'
import { ANVIL_LOOP_ARGS, anvilLoop } from '../engines/anvilLoop.ts'
import { ethereumjsLoop } from '../engines/ethereumjsLoop.ts'
import { ownLoop } from '../engines/ownLoop.ts'
import { type Loop, LOOPS } from './loops.ts'
import { type BenchOptions, medianMs, type Row } from '../measure.ts'

/** What a window should last, so that a request over HTTP is a small part of it. */
const WINDOW_MS = 150
const WARMUP_MS = 1000

/** Mgas a second: the median of windows that are as long as a first look at the speed says. */
const speed = async (
  loop: Loop,
  run: (iterations: number) => unknown,
  { quick }: BenchOptions,
): Promise<number> => {
  let iterations = 16
  // Makes the code hot for a node's compiler, however few windows follow.
  for (let calls = 0; calls < HOT_CALLS; calls++) await run(1)
  const warmingUntil = performance.now() + (quick ? WARMUP_MS / 4 : WARMUP_MS)
  for (let ms = 0; ms < WINDOW_MS || performance.now() < warmingUntil; ) {
    if (ms < WINDOW_MS) iterations = Math.ceil(iterations * Math.min(4, Math.max(1.2, WINDOW_MS / (ms || 1))))
    const start = performance.now()
    await run(iterations)
    ms = performance.now() - start
    // Lets the node's compiler of hot code run.
    await setImmediate()
  }
  const ms = await medianMs(() => run(iterations), { warmups: 1, windows: quick ? 3 : 7 })
  return (iterations * loop.gasPerIteration) / (ms * 1000)
}

const text = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0))

const benchLoop = async (loop: Loop, anvil: Anvil, options: BenchOptions): Promise<Row> => {
  const ours = await speed(loop, ownLoop(loop), options)
  const reference = await speed(loop, await ethereumjsLoop(loop), options)
  const revm = await speed(loop, await anvilLoop(anvil, loop), options)
  return {
    name: loop.name,
    values: {
      ours: text(ours),
      '@ethereumjs/evm': text(reference),
      'anvil (eth_call)': text(revm),
      'ours / @ethereumjs': `${text(ours / reference)}x`,
      'ours / anvil': `${(ours / revm).toFixed(2)}x`,
    },
  }
}

/** Each loop in our interpreter, in the JavaScript EVM, and in revm inside anvil by `eth_call`. */
export const benchEvm = async (options: BenchOptions): Promise<void> => {
  const anvil = await startAnvil(ANVIL_LOOP_ARGS)
  try {
    for (const loop of LOOPS) await options.row(loop.name, () => benchLoop(loop, anvil, options))
  } finally {
    await anvil.stop()
  }
}
