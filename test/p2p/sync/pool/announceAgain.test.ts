import { describe, expect, test } from 'bun:test'
import type { Chain } from '../../../../core/chain/chain.ts'
import { equalBytes } from '../../../../core/bytes/bytes.ts'
import type { PooledTransaction } from '../../../../core/txpool/pool.ts'
import { startAnnouncingAgain } from '../../../../p2p/sync/pool/announceAgain.ts'
import { transfer } from '../../../core/chain/support/chain.ts'
import { USERS } from '../../../core/chain/support/keys.ts'

const [ALICE, BOB, CAROL] = USERS

const start = (list: readonly PooledTransaction[]) => {
  const announced: (readonly Uint8Array[])[] = []
  const listeners: (() => void)[] = []
  const clock = { nowMs: 0 }
  const stop = startAnnouncingAgain({
    chain: {
      onHead: (listener: () => void) => {
        listeners.push(listener)
        return () => listeners.splice(0)
      },
    } as unknown as Pick<Chain, 'onHead'>,
    pool: {
      list: () => list,
      isRunnable: sender => !equalBytes(sender, BOB.address),
      isKnown: sender => equalBytes(sender, ALICE.address),
    },
    network: () => ({ announceTransactions: encoded => void announced.push(encoded) }),
    nowMs: () => clock.nowMs,
  })
  const headAt = (nowMs: number): void => {
    clock.nowMs = nowMs
    for (const listener of listeners) listener()
  }
  return { announced, headAt, stop }
}

const ALICES = { ...transfer(ALICE, 0), local: false, addedAtMs: 0 }

describe('given an executable transaction that blocks do not include', () => {
  test('when it has waited for ten seconds, then a new head announces it again, once in ten seconds', () => {
    const { announced, headAt } = start([ALICES])
    headAt(9_000)
    expect(announced).toEqual([])
    for (const nowMs of [10_000, 11_000, 19_000, 20_000]) headAt(nowMs)
    expect(announced).toEqual([[ALICES.transaction.encoded], [ALICES.transaction.encoded]])
  })

  test('when it has waited longer than a dropped sender is refused, then it is no longer announced', () => {
    const { announced, headAt } = start([ALICES])
    headAt(61_000)
    expect(announced).toEqual([])
  })

  test('when its sender has a nonce gap, then it is not announced', () => {
    const { announced, headAt } = start([{ ...transfer(BOB, 1), local: true, addedAtMs: 0 }])
    headAt(20_000)
    expect(announced).toEqual([])
  })

  test('when there are many, then 64 are announced at a time', () => {
    const { announced, headAt } = start(Array.from({ length: 100 }, () => ALICES))
    headAt(20_000)
    expect(announced.map(({ length }) => length)).toEqual([64])
  })

  test('when unknown senders have many, then those of known senders come first', () => {
    const unknown = { ...transfer(CAROL, 0), local: true, addedAtMs: 0 }
    const { announced, headAt } = start([...Array.from({ length: 100 }, () => unknown), ALICES])
    headAt(20_000)
    expect(announced[0]?.[0]).toEqual(ALICES.transaction.encoded)
    expect(announced[0]?.length).toBe(64)
  })

  test('when it is stopped, then no head announces anything', () => {
    const { announced, headAt, stop } = start([ALICES])
    stop()
    headAt(20_000)
    expect(announced).toEqual([])
  })
})
