import type { Driver } from 'unstorage'
import type { DriverExtensions } from '../../../core/store/keyvalue/driverStore.ts'
import type { seededRandom } from '../random.ts'

type Random = ReturnType<typeof seededRandom>

export type Image = ReadonlyMap<string, Uint8Array>

/** What happened to a disk, in order. A mark is set by the test. */
export type DiskOperation =
  | { readonly kind: 'write'; readonly key: string; readonly value: Uint8Array | undefined }
  | { readonly kind: 'sync' }
  | { readonly kind: 'mark'; readonly mark: number }

export type FaultyDriver = {
  readonly driver: Driver & DriverExtensions
  /** What reads see: every write, synced or not. */
  readonly image: Image
  readonly operations: readonly DiskOperation[]
  mark(mark: number): void
  /** After this many more bytes the disk is full: the write that does not fit leaves half of its value and throws. */
  fillAfter(bytes: number): void
  makeRoom(): void
  /** Reads of the key give its value with that bit turned over, from the end of the value when negative. */
  flipBit(key: string, bit: number): void
  unflip(): void
}

/** A disk that can be full, that lies on reads, and whose every write and sync is recorded. */
export const createFaultyDriver = (
  initial: Image = new Map(),
  { synchronous = false }: { readonly synchronous?: boolean } = {},
): FaultyDriver => {
  const image = new Map(initial)
  const operations: DiskOperation[] = []
  const flips = new Map<string, number>()
  let room = Number.POSITIVE_INFINITY

  const read = (key: string): Uint8Array | undefined => {
    const value = image.get(key)?.slice()
    const bit = flips.get(key)
    if (value !== undefined && bit !== undefined) {
      const position = bit < 0 ? 8 * value.length + bit : bit
      const index = (position >> 3) % value.length
      value[index] = (value[index] as number) ^ (1 << (position & 7))
    }
    return value
  }
  const write = (key: string, value: Uint8Array | undefined): void => {
    const kept = value?.slice()
    if ((kept?.length ?? 0) > room) {
      const half = (kept as Uint8Array).subarray(0, (kept as Uint8Array).length >> 1)
      image.set(key, half)
      operations.push({ kind: 'write', key, value: half })
      room = 0
      throw new Error('ENOSPC: no space left on device')
    }
    room -= kept?.length ?? 0
    if (kept === undefined) image.delete(key)
    else image.set(key, kept)
    operations.push({ kind: 'write', key, value: kept })
  }

  return {
    driver: {
      name: 'faulty',
      hasItem: key => image.has(key),
      getItem: () => null,
      getItemRaw: key => read(key) ?? null,
      setItemRaw: (key, value: Uint8Array) => write(key, value),
      removeItem: key => write(key, undefined),
      getKeys: () => [...image.keys()],
      sync: () => {
        operations.push({ kind: 'sync' })
      },
      ...(synchronous ? { getItemRawSync: read } : {}),
    },
    image,
    operations,
    mark: mark => {
      operations.push({ kind: 'mark', mark })
    },
    fillAfter: bytes => {
      room = bytes
    },
    makeRoom: () => {
      room = Number.POSITIVE_INFINITY
    },
    flipBit: (key, bit) => {
      flips.set(key, bit)
    },
    unflip: () => flips.clear(),
  }
}

const apply = (image: Map<string, Uint8Array>, key: string, value: Uint8Array | undefined): void => {
  if (value === undefined) image.delete(key)
  else image.set(key, value)
}

/** A write that a stop interrupts: nothing of it, all of it, or the front of the value. */
const applyTorn = (
  image: Map<string, Uint8Array>,
  { key, value }: Extract<DiskOperation, { kind: 'write' }>,
  random: Random,
): void => {
  const outcome = random.below(3)
  if (outcome === 0) return
  if (outcome === 1 || value === undefined) apply(image, key, value)
  else image.set(key, value.subarray(0, random.below(value.length)))
}

/** What is on the disk when the process is killed while it does operation `stop`: everything before, and that one torn. */
export const imageAfterKill = (
  operations: readonly DiskOperation[],
  stop: number,
  random: Random,
  initial: Image = new Map(),
): Image => {
  const image = new Map(initial)
  for (let i = 0; i < stop; i++) {
    const operation = operations[i] as DiskOperation
    if (operation.kind === 'write') apply(image, operation.key, operation.value)
  }
  const last = operations[stop]
  if (last?.kind === 'write') applyTorn(image, last, random)
  return image
}

/**
 * What is on the disk when the power fails during operation `stop`: everything up to the last sync, and of each write
 * after it nothing, all or a part, whatever became of the others.
 */
export const imageAfterPowerCut = (
  operations: readonly DiskOperation[],
  stop: number,
  random: Random,
  initial: Image = new Map(),
): Image => {
  const image = new Map(initial)
  let synced = 0
  for (let i = 0; i < stop; i++) if (operations[i]?.kind === 'sync') synced = i
  for (let i = 0; i <= stop && i < operations.length; i++) {
    const operation = operations[i] as DiskOperation
    if (operation.kind !== 'write') continue
    if (i < synced) apply(image, operation.key, operation.value)
    else applyTorn(image, operation, random)
  }
  return image
}
