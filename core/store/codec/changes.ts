import { equalBytes } from '../../bytes/bytes.ts'
import type { Account, AccountChange, SlotChange, StateChanges } from '../../state/account.ts'
import type { Steps } from '../../steps.ts'
import { READING_STEP_ITEMS, SEGMENT_STEP_ITEMS } from '../limits.ts'
import { writeBlobSteps } from './longBytes.ts'
import { MalformedRecord, type Reader } from './reader.ts'
import { accountCodec } from './stateValues.ts'
import type { Writer } from './writer.ts'

const sameAccount = (a: Account | undefined, b: Account | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    a.incarnation === b.incarnation &&
    equalBytes(a.codeHash, b.codeHash) &&
    equalBytes(a.storageRoot, b.storageRoot))

/** Writes the fields before the slots. */
const writeAccountChange = (writer: Writer, { address, before, after, slots }: AccountChange): void => {
  writer.raw(address)
  const same = sameAccount(before, after)
  writer.byte(same ? 0 : 1)
  accountCodec.write(writer, before)
  if (!same) accountCodec.write(writer, after)
  writer.varint(slots.length)
}

/** Yields between many slots. */
function* readAccountChange(reader: Reader): Steps<AccountChange> {
  const address = reader.copy(20)
  const kind = reader.byte()
  const before = accountCodec.read(reader)
  const after = kind === 0 ? before : accountCodec.read(reader)
  if (kind > 1 || (kind === 1 && sameAccount(before, after)))
    throw new MalformedRecord('an account that does not change, or a kind of change that does not exist')
  const count = reader.varint()
  const slots: SlotChange[] = []
  for (let i = 0; i < count; i++) {
    slots.push({ slot: reader.word(), before: reader.word(), after: reader.word() })
    if (slots.length % READING_STEP_ITEMS === 0) yield
  }
  return { address, before, after, slots }
}

/** Writes changes. Yields between many, and when the writer has `stepBytes`: the caller may then take the written bytes. */
export function* writeChanges(
  writer: Writer,
  { accounts, codes }: StateChanges,
  stepBytes: number,
): Steps<void> {
  writer.varint(accounts.length)
  let written = 0
  for (const change of accounts) {
    writeAccountChange(writer, change)
    if (++written % SEGMENT_STEP_ITEMS === 0 || writer.length >= stepBytes) yield
    for (const slot of change.slots) {
      writer.word(slot.slot)
      writer.word(slot.before)
      writer.word(slot.after)
      if (++written % SEGMENT_STEP_ITEMS === 0 || writer.length >= stepBytes) yield
    }
  }
  writer.varint(codes.length)
  for (const { codeHash, code } of codes) {
    writer.raw(codeHash)
    yield* writeBlobSteps(writer, code)
    if (writer.length >= stepBytes) yield
  }
}

/** Yields between many changes. */
export function* readChangesSteps(reader: Reader): Steps<StateChanges> {
  const accounts: AccountChange[] = []
  for (let count = reader.varint(); count > 0; count--) {
    accounts.push(yield* readAccountChange(reader))
    if (accounts.length % READING_STEP_ITEMS === 0) yield
  }
  const codes: { codeHash: Uint8Array; code: Uint8Array }[] = []
  for (let count = reader.varint(); count > 0; count--)
    codes.push({ codeHash: reader.copy(32), code: reader.blob().slice() })
  return { accounts, codes }
}
