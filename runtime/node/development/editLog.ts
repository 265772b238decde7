import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import type { StateEdit } from '../../../core/state/edits.ts'
import type { KeyValueEntry, KeyValueStore } from '../../../core/store/keyvalue/keyvalue.ts'

/** An edit and the block after which it was made. */
export type NumberedEdit = { readonly number: bigint; readonly edit: StateEdit }

/**
 * The edits of a chain, in their order: the i-th one is the record `development/edits/i`. A cut writes one record, and leaves
 * those after it. Epochs make them invalid: each cut begins an epoch, and the log ends before a record of an earlier epoch
 * than the one before it.
 */
export type EditLog = {
  readonly length: number
  /** Cuts the log to its first `kept` edits and adds others; resolves when that survives the end of the process. */
  write(kept: number, added: readonly NumberedEdit[]): Promise<void>
}

type Stored = Readonly<Record<string, string>>

type EditRecord = { readonly epoch: number; readonly number: string; readonly edit: Stored }

type EndRecord = { readonly epoch: number; readonly number?: undefined }

const recordKey = (index: number): string => `development/edits/${index}`

/** Where earlier releases stored all edits, in one value. */
const OLD_KEY = 'development/edits'

type OldValue = readonly (readonly [number: string, edits: readonly Stored[]])[]

const toStored = (edit: StateEdit): Stored =>
  Object.fromEntries(
    Object.entries(edit).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : String(value),
    ]),
  )

const ofStored = (stored: Stored): StateEdit => {
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

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const decode = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes))

const readRecords = async (
  storage: Pick<KeyValueStore, 'get'>,
): Promise<{ readonly edits: readonly NumberedEdit[]; readonly epoch: number }> => {
  const edits: NumberedEdit[] = []
  let epoch = 0
  for (;;) {
    const bytes = await storage.get(recordKey(edits.length))
    const record = bytes === undefined ? undefined : (decode(bytes) as EditRecord | EndRecord)
    if (record === undefined || record.epoch < epoch) return { edits, epoch }
    epoch = record.epoch
    if (record.number === undefined) return { edits, epoch }
    edits.push({ number: BigInt(record.number), edit: ofStored(record.edit) })
  }
}

const readOld = async (storage: Pick<KeyValueStore, 'get'>): Promise<readonly NumberedEdit[] | undefined> => {
  const bytes = await storage.get(OLD_KEY)
  return bytes === undefined
    ? undefined
    : (decode(bytes) as OldValue)
        .flatMap(([number, edits]) =>
          edits.map(stored => ({ number: BigInt(number), edit: ofStored(stored) })),
        )
        .toSorted((a, b) => Number(a.number - b.number))
}

export type EditStorage = Pick<KeyValueStore, 'get' | 'setDurably' | 'setAllDurably'>

const writeInOrder = async (
  { setDurably, setAllDurably }: EditStorage,
  entries: readonly KeyValueEntry[],
): Promise<void> => {
  if (entries.length > 1 && setAllDurably !== undefined) return setAllDurably(entries)
  // A record that is stored without those before it would follow older ones.
  for (const entry of entries) await setDurably(entry)
}

/** Opens the log and returns its edits; moves those of an earlier release into it. */
export const openEditLog = async (
  storage: EditStorage,
): Promise<{ readonly log: EditLog; readonly edits: readonly NumberedEdit[] }> => {
  const stored = await readRecords(storage)
  let epoch = stored.epoch
  let length = stored.edits.length

  const write = async (kept: number, added: readonly NumberedEdit[]): Promise<void> => {
    if (kept < length) epoch++
    else if (added.length === 0) return
    const records: readonly (EditRecord | EndRecord)[] =
      added.length === 0
        ? [{ epoch }]
        : added.map(({ number, edit }) => ({ epoch, number: String(number), edit: toStored(edit) }))
    await writeInOrder(
      storage,
      records.map((record, index) => ({ key: recordKey(kept + index), value: encode(record) })),
    )
    length = kept + added.length
  }

  const old = await readOld(storage)
  if (old !== undefined) {
    await write(0, old)
    await storage.setDurably({ key: OLD_KEY, value: undefined })
  }
  const log: EditLog = {
    get length() {
      return length
    },
    write,
  }
  return { log, edits: old ?? stored.edits }
}
