import { closeSync, existsSync, fstatSync, openSync, readSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { untilBlocks } from '../../cluster/support/waiting.ts'
import { type Attack, type AttackContext, SHORT_ROUNDS } from '../attack.ts'

const VICTIM = 3

const FILES = ['chain/segments.sqlite', 'chain/views.sqlite', 'txpool.dump'] as const

type Damage = (path: string, random: AttackContext['random']) => void

const writeAt = (
  path: string,
  offsetOf: (size: number) => number,
  bytes: (old: Uint8Array) => Uint8Array,
) => {
  const file = openSync(path, 'r+')
  const offset = offsetOf(fstatSync(file).size)
  const old = new Uint8Array(4096)
  readSync(file, old, 0, old.length, offset)
  const next = bytes(old)
  writeSync(file, next, 0, next.length, offset)
  closeSync(file)
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut to half': path => truncateSync(path, openAndSize(path) >> 1),
  emptied: path => truncateSync(path, 0),
  'a flipped bit': (path, { below }) =>
    writeAt(
      path,
      size => below(Math.max(1, size - 1)),
      old => Uint8Array.of((old[0] ?? 0) ^ 1),
    ),
  'a page of zeros': (path, { below }) =>
    writeAt(
      path,
      size => 4096 * below(Math.max(1, size >> 12)),
      () => new Uint8Array(4096),
    ),
  'a page of noise': (path, { below, bytes }) =>
    writeAt(
      path,
      size => 4096 * below(Math.max(1, size >> 12)),
      () => bytes(4096),
    ),
  'a wrong beginning': (path, { bytes }) =>
    writeAt(
      path,
      () => 0,
      () => bytes(100),
    ),
}

const openAndSize = (path: string): number => {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  closeSync(file)
  return size
}

/** Starts the damaged node. One that refuses must say why in words; then its chain is removed, as its advice says. */
const startDamaged = async ({ cluster }: AttackContext, what: string): Promise<readonly string[]> => {
  try {
    await cluster.start(VICTIM)
    return []
  } catch (error) {
    const text = String(error)
    cluster.wipe(VICTIM)
    await cluster.start(VICTIM)
    return /\n\s+at /.test(text) ? [`${what}: the node ended with a stack trace`] : []
  }
}

export const damagedFiles: Attack = {
  name: 'damaged-files',
  what: `Damages files of a stopped validator in ${FILES.length * Object.keys(DAMAGES).length} ways and starts it.`,
  network: SHORT_ROUNDS,
  // One of four is away most of the time: its rounds are lost, and what it accepted may wait until it is back.
  limits: { blockGapMs: 20_000, answerMs: 5_000, transferBlocks: 10 },
  run: async context => {
    const { cluster, random, say } = context
    const faults: string[] = []
    for (const file of FILES)
      for (const [name, damage] of Object.entries(DAMAGES)) {
        await cluster.kill(VICTIM)
        const path = join(cluster.dataPath(VICTIM), file)
        const what = `${file}, ${name}`
        if (existsSync(path)) damage(path, random)
        faults.push(...(await startDamaged(context, what)))
        await untilBlocks(cluster, 2).catch(() => faults.push(`${what}: the node did not follow the chain`))
      }
    say(`${FILES.length * Object.keys(DAMAGES).length} kinds of damage`)
    return faults
  },
}
