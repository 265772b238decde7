import { describe, expect, test } from 'bun:test'
import { padStartBytes } from '../../../../core/bytes/bytes.ts'
import { bigintToBytes } from '../../../../core/bytes/integer.ts'
import { type EditList, editsSince, type StateEdit } from '../../../../core/state/edits.ts'
import type { KeyValueEntry } from '../../../../core/store/keyvalue/keyvalue.ts'
import { type Edits, openEdits } from '../../../../runtime/node/development/edits.ts'
import { seededRandom } from '../../../support/random.ts'

type Kept = Map<string, Uint8Array>

/** A storage that notes its contents after each write. */
const storageOf = (kept: Kept, onWrite: (written: KeyValueEntry) => void = () => undefined) => ({
  get: async (key: string) => kept.get(key),
  setDurably: async ({ key, value }: KeyValueEntry) => {
    if (value === undefined) kept.delete(key)
    else kept.set(key, value)
    onWrite({ key, value })
  },
})

const edit = (number: number): StateEdit => ({
  kind: 'balance',
  address: padStartBytes(bigintToBytes(BigInt(number + 1)), 20),
  wei: BigInt(number),
})

const BLOCKS = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]

const listed = (list: EditList): readonly StateEdit[] =>
  (editsSince(undefined, list) ?? []).map(one => one.edit)

const allOf = (edits: Edits): readonly (readonly StateEdit[])[] =>
  BLOCKS.map(number => listed(edits.after(number)))

describe('given the edits of a development chain', () => {
  test('when many are made, then the last one writes as much as the first', async () => {
    const written: number[] = []
    const storage = storageOf(new Map(), ({ value }) => written.push(value?.length ?? 0))
    const edits = await openEdits(storage)
    for (let number = 1000; number < 9000; number++) await edits.add(0n, edit(number))
    expect(new Set(written).size).toBe(1)
    expect(written.length).toBe(8000)
  })

  test('when edits are made and undone, and the process ends after any write, then they are read as they were before or after it', async () => {
    const { below } = seededRandom(12)
    const kept: Kept = new Map()
    const copies: Kept[] = []
    const edits = await openEdits(storageOf(kept, () => copies.push(new Map(kept))))
    const snapshots: { readonly number: bigint; readonly edits: EditList }[] = []
    let head = 0n
    let count = 0
    for (let step = 0; step < 400; step++) {
      copies.length = 0
      const before = allOf(edits)
      const choice = below(100)
      const back = snapshots[below(snapshots.length || 1)]
      if (choice < 20 && head < 8n) head++
      else if (choice < 30) snapshots.push({ number: head, edits: edits.after(head) })
      else if (choice < 40 && back !== undefined) {
        head = back.number
        await edits.goBack(back.number, back.edits)
      } else if (choice < 45 && head > 0n) await edits.goBack(--head, undefined)
      else await edits.add(head, edit(count++))
      const after = allOf(edits)
      expect(allOf(await openEdits(storageOf(new Map(kept))))).toEqual(after)
      for (const [index, copy] of copies.entries()) {
        const read = allOf(await openEdits(storageOf(copy)))
        if (index === copies.length - 1) expect(read).toEqual(after)
        // A step back to other edits writes them one after the other.
        else
          expect(after.map((list, at) => list.slice(0, read[at]?.length ?? 0))).toEqual(read as StateEdit[][])
      }
      if (copies.length === 0) expect(after).toEqual(before)
    }
  })

  test('when an earlier release stored them in one value, then they are read, and stored one by one', async () => {
    const old = [
      ['3', [{ kind: 'balance', address: `0x${'00'.repeat(19)}01`, wei: '5' }]],
      [
        '2',
        [
          { kind: 'code', address: `0x${'00'.repeat(19)}02`, code: '0x6000' },
          {
            kind: 'slot',
            address: `0x${'00'.repeat(19)}02`,
            slot: `0x${'01'.repeat(32)}`,
            value: `0x${'02'.repeat(32)}`,
          },
        ],
      ],
    ]
    const kept: Kept = new Map([['development/edits', new TextEncoder().encode(JSON.stringify(old))]])
    const copies: Kept[] = [new Map(kept)]
    const edits = await openEdits(storageOf(kept, () => copies.push(new Map(kept))))
    const expected = allOf(edits)
    expect(expected[2]?.map(({ kind }) => kind)).toEqual(['code', 'slot'])
    expect(expected[3]).toMatchObject([{ kind: 'balance', wei: 5n }])
    expect(kept.has('development/edits')).toBe(false)
    for (const copy of copies) expect(allOf(await openEdits(storageOf(copy)))).toEqual(expected)
    expect((await openEdits(storageOf(kept))).isEmpty).toBe(false)
  })
})
