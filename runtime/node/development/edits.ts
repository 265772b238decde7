import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import type { StateEdit } from '../../../core/state/edits.ts'
import type { KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'

/** Where the edits are stored. */
const KEY = 'development/edits'

/** Present and not empty if header values were chosen. */
const HEADERS_KEY = 'development/headers'

/** Edits of the whole chain: some 200 bytes each, more with code. */
const EDITS_MAX = 10_000

/** Changes to the state that no transaction made, by the block after which they were made. */
export type Edits = {
  /** The edits after a block. */
  after(number: bigint): readonly StateEdit[]
  /** False when the state or a header of any block was set by hand: no other node accepts or executes its blocks. */
  readonly isEmpty: boolean
  /** False when there are too many. */
  add(number: bigint, edit: StateEdit): Promise<boolean>
  /** Notes that later headers have values that no rule gives them. */
  noteHeaders(): Promise<void>
  /** Forgets the edits after later blocks, and sets those after this one. */
  goBack(number: bigint, edits: readonly StateEdit[]): Promise<void>
}

type Stored = readonly (readonly [number: string, edits: readonly Readonly<Record<string, string>>[]])[]

const toJson = (edit: StateEdit): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(edit).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : String(value),
    ]),
  )

const fromJson = (stored: Readonly<Record<string, string>>): StateEdit => {
  const text = (name: string): string => stored[name] ?? ''
  const address = fromHex(text('address'))
  switch (text('kind')) {
    case 'balance':
      return { kind: 'balance', address, wei: BigInt(text('wei')) }
    case 'nonce':
      return { kind: 'nonce', address, nonce: BigInt(text('nonce')) }
    case 'code':
      return { kind: 'code', address, code: fromHex(text('code')) }
    default:
      return { kind: 'slot', address, slot: fromHex(text('slot')), value: fromHex(text('value')) }
  }
}

const NONE: readonly StateEdit[] = []

/** Opens the edits of a chain, which are stored beside it. */
export const openEdits = async (storage: Pick<KeyValueStore, 'get' | 'setDurably'>): Promise<Edits> => {
  const stored = await storage.get(KEY)
  const parsed = stored === undefined ? [] : (JSON.parse(new TextDecoder().decode(stored)) as Stored)
  const byNumber = new Map(parsed.map(([number, edits]) => [BigInt(number), edits.map(fromJson)]))
  let hasHeaders = ((await storage.get(HEADERS_KEY))?.length ?? 0) > 0
  let count = [...byNumber.values()].reduce((sum, edits) => sum + edits.length, 0)

  const store = (): Promise<void> => {
    const all: Stored = [...byNumber].map(([number, edits]) => [String(number), edits.map(toJson)])
    return storage.setDurably({ key: KEY, value: new TextEncoder().encode(JSON.stringify(all)) })
  }

  return {
    after: number => byNumber.get(number) ?? NONE,
    get isEmpty() {
      return count === 0 && !hasHeaders
    },
    add: async (number, edit) => {
      if (count >= EDITS_MAX) return false
      count++
      // A new array: readers of the state keep the old one.
      byNumber.set(number, [...(byNumber.get(number) ?? []), edit])
      await store()
      return true
    },
    noteHeaders: async () => {
      if (!hasHeaders) await storage.setDurably({ key: HEADERS_KEY, value: Uint8Array.of(1) })
      hasHeaders = true
    },
    goBack: async (number, edits) => {
      if (hasHeaders && number === 0n) {
        hasHeaders = false
        await storage.setDurably({ key: HEADERS_KEY, value: new Uint8Array() })
      }
      for (const known of byNumber.keys()) if (known >= number) byNumber.delete(known)
      if (edits.length > 0) byNumber.set(number, [...edits])
      const before = count
      count = [...byNumber.values()].reduce((sum, all) => sum + all.length, 0)
      if (before + count > 0) await store()
    },
  }
}
