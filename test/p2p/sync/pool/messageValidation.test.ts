import { describe, expect, test } from 'bun:test'
import {
  createMessageValidation,
  type ValidationResult,
} from '../../../../p2p/sync/pool/messageValidation.ts'

const isForwarded = (...results: readonly ValidationResult[]): Promise<boolean> => {
  const message = createMessageValidation(results.length)
  for (const result of results) message.record(result)
  return message.isForwarded
}

describe('given a message of transactions that are validated', () => {
  test('when at least as many are useful as are worthless, then it is forwarded', async () => {
    expect(await isForwarded('useful')).toBe(true)
    expect(await isForwarded('useful', 'worthless', 'known', 'known')).toBe(true)
    expect(await isForwarded('useful', 'dropped', 'dropped')).toBe(true)
  })

  test('when more are worthless than useful, or none is useful, then it is not forwarded', async () => {
    expect(await isForwarded('useful', 'worthless', 'worthless')).toBe(false)
    expect(await isForwarded('worthless')).toBe(false)
    expect(await isForwarded('known', 'known')).toBe(false)
    expect(await isForwarded('dropped')).toBe(false)
    expect(await isForwarded()).toBe(false)
  })
})
