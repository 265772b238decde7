import { describe, expect, test } from 'bun:test'
import { bigintToFixedBytes } from '../../../../core/bytes/integer.ts'
import { accountCodec, slotCodec } from '../../../../core/store/codec/stateValues.ts'
import { createVersions } from '../../../../core/store/views/versions.ts'
import { seededRandom } from '../../../support/random.ts'

const value = (number: number): Uint8Array => bigintToFixedBytes(BigInt(number), 32)
const keyOf = (index: number): string => `s:${index.toString(16).padStart(8, '0')}`

const KEYS = 300
const BLOCKS = 1_000
const CHANGES_A_BLOCK = 20

describe('given changes of some slots by many blocks', () => {
  const random = seededRandom(7)
  const pending = createVersions(slotCodec)
  /** By key: the value before the first change, and the value after each change. */
  const model = new Map<string, { block: number; value: Uint8Array }[]>()
  for (let block = 10; block < 10 + BLOCKS; block++)
    for (const index of new Set(Array.from({ length: CHANGES_A_BLOCK }, () => random.below(KEYS)))) {
      const key = keyOf(index)
      const versions = model.get(key) ?? [{ block: -1, value: value(index) }]
      model.set(key, versions)
      const before = versions.at(-1)?.value as Uint8Array
      const after = value(random.below(2 ** 40))
      pending.put(key, block, before, after)
      versions.push({ block, value: after })
    }

  test('when a slot is read after any block, then it has the newest value up to that block', () => {
    for (const [key, versions] of model)
      for (const block of [0, 9, 10, 11, 500, 777, 10 + BLOCKS, ...versions.map(version => version.block)]) {
        if (block < 0) continue
        const expected = versions.findLast(version => version.block <= block)
        const found = pending.find(key, block)
        expect(found).toBeDefined()
        expect(pending.valueOf(found as number)).toEqual(expected?.value as Uint8Array)
        expect(pending.isBefore(found as number)).toBe(expected?.block === -1)
      }
  })

  test('when its history is asked for, then each change comes in order with the value before it', () => {
    expect([...pending.keys()].toSorted()).toEqual([...model.keys()].toSorted())
    for (const [key, versions] of model) {
      const { value: last, changes } = pending.historyOf(key)
      expect(last).toEqual(versions.at(-1)?.value as Uint8Array)
      expect(changes).toEqual(
        versions
          .slice(1)
          .map(({ block }, index) => ({ block, before: versions[index]?.value as Uint8Array })),
      )
    }
  })

  test('when another slot is read, then it has no version', () => {
    expect(pending.find(keyOf(KEYS), BLOCKS)).toBeUndefined()
  })
})

describe('given slots whose last blocks are removed', () => {
  test('when others take their place, then each slot has the values of what remains', () => {
    const random = seededRandom(8)
    const pending = createVersions(slotCodec)
    const changes: { readonly key: string; readonly block: number; readonly value: Uint8Array }[] = []
    const add = (block: number): void => {
      for (const index of new Set(Array.from({ length: 30 }, () => random.below(60)))) {
        const key = keyOf(index)
        const before = changes.findLast(change => change.key === key)?.value ?? value(0)
        const after = value(1 + random.below(2 ** 40))
        pending.put(key, block, before, after)
        changes.push({ key, block, value: after })
      }
    }
    let last = 0
    for (let step = 0; step < 200; step++) {
      for (let count = random.below(8); count > 0; count--) add(++last)
      for (let count = Math.min(last, random.below(8)); count > 0; count--) {
        const removed = changes.filter(({ block }) => block === last).map(({ key }) => key)
        pending.removeFrom(removed, last--)
        changes.splice(0, changes.length, ...changes.filter(({ block }) => block <= last))
      }
      expect([...pending.keys()].toSorted()).toEqual([...new Set(changes.map(({ key }) => key))].toSorted())
      for (const key of pending.keys()) {
        const expected = changes.findLast(change => change.key === key)?.value
        expect(pending.valueOf(pending.find(key, last) as number)).toEqual(expected as Uint8Array)
      }
    }
  })
})

describe('given accounts of genesis', () => {
  test('when they are read, then they have no earlier value, and their first change is after genesis', () => {
    const pending = createVersions(accountCodec)
    const account = {
      nonce: 0n,
      balance: 2n ** 255n,
      incarnation: 0n,
      codeHash: value(5),
      storageRoot: value(6),
    }
    const later = { ...account, nonce: 1n }
    pending.put('a:01', 0, undefined, account)
    expect(pending.historyOf('a:01')).toEqual({ value: account, changes: [] })
    pending.put('a:01', 3, account, later)
    pending.put('a:01', 4, later, undefined)
    expect(pending.historyOf('a:01')).toEqual({
      value: undefined,
      changes: [
        { block: 3, before: account },
        { block: 4, before: later },
      ],
    })
    expect(pending.isBefore(pending.find('a:01', 0) as number)).toBe(false)
    expect(pending.valueOf(pending.find('a:01', 2) as number)).toEqual(account)
  })
})
