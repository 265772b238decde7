import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { recoverHere } from '../../../core/chain/validation.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../core/txpool/limits.ts'
import { extend, transfer } from '../../core/chain/support/chain.ts'
import { POOR, USERS, VALIDATORS } from '../../core/chain/support/keys.ts'
import { type NodeOptions, until, type WiredNode } from './support/node.ts'
import { wireEachTest } from './support/wireEachTest.ts'

setDefaultTimeout(30_000)

const [A, B] = VALIDATORS
const [ALICE, BOB] = USERS
const LOCAL = { local: true, addedAtMs: 0 }

const { wire, node } = wireEachTest()

const pair = async (options: NodeOptions = {}): Promise<readonly [WiredNode, WiredNode]> => {
  const [one, other] = [await node(A), await node(B, options)]
  wire.connect(one.network, other.network)
  await until(() => one.network.peers().length === 1 && other.network.peers().length === 1)
  return [one, other]
}

const encodedOf = (nonce: number): Uint8Array => transfer(ALICE, nonce).transaction.encoded

describe('given two nodes that are connected', () => {
  test('when a transaction is sent to one then the other has it too, as a remote one', async () => {
    const [one, other] = await pair()
    const sent = transfer(ALICE, 0)
    one.pool.add(sent, one.poolHead(), LOCAL)
    await until(() => other.pool.size === 1)
    const found = other.pool.get(sent.transaction.hash)
    expect(found).toMatchObject({ local: false, sender: ALICE.address })
    expect(one.pool.get(sent.transaction.hash)).toMatchObject({ local: true })
  })

  test('when many are sent at once then their senders are recovered in batches and all arrive, in the order of their nonces', async () => {
    let calls = 0
    const [one, other] = await pair({
      recoverSenders: transactions => {
        calls++
        return recoverHere(transactions)
      },
    })
    for (let nonce = 0; nonce < 150; nonce++) one.pool.add(transfer(ALICE, nonce), one.poolHead(), LOCAL)
    await until(() => other.pool.size === 150)
    expect(other.pool.counts()).toEqual({ ready: 150, queued: 0 })
    expect(calls).toBeLessThan(20)
  })

  test('when one comes again then it is looked at once', async () => {
    let recovered = 0
    const [one, other] = await pair({
      recoverSenders: transactions => {
        recovered += transactions.length
        return recoverHere(transactions)
      },
    })
    for (let again = 0; again < 5; again++) one.network.announceTransactions([encodedOf(0), encodedOf(0)])
    await until(() => other.pool.size === 1)
    await Bun.sleep(20)
    expect(recovered).toBe(1)
  })

  test('when a payment and what it pays for come in the wrong order then both are taken', async () => {
    const [one, other] = await pair()
    const poor = POOR.address
    const spend = transfer(POOR, 0, { to: ALICE.address, value: 1n })
    const fund = transfer(ALICE, 0, { to: poor, value: 10n ** 18n })
    one.network.announceTransactions([spend.transaction.encoded])
    await Bun.sleep(20)
    expect(other.pool.size).toBe(0)
    one.network.announceTransactions([fund.transaction.encoded])
    await until(() => other.pool.size === 2)
    expect(other.pool.isRunnable(poor)).toBe(true)
  })

  test('when its sender has the funds with the next block then it is taken', async () => {
    const [one, other] = await pair()
    const spend = transfer(POOR, 0, { to: ALICE.address, value: 1n })
    one.network.announceTransactions([spend.transaction.encoded])
    await Bun.sleep(20)
    expect(other.pool.size).toBe(0)
    await extend(other.chain, [transfer(ALICE, 0, { to: POOR.address, value: 10n ** 18n })])
    await until(() => other.pool.size === 1)
  })

  test('when one cannot be mined then nobody is blamed, and it may come again', async () => {
    const [one, other] = await pair()
    const cheap = transfer(ALICE, 0, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }).transaction.encoded
    const distant = transfer(BOB, 100_000).transaction.encoded
    one.network.announceTransactions([cheap, distant, encodedOf(0)])
    await until(() => other.pool.size === 1)
    expect(other.network.reports).toEqual([])
  })

  test('when bytes are no transaction, or too many, then the sender is blamed for each; for one signed by no key nobody is', async () => {
    const [one, other] = await pair()
    const unsigned = encodedOf(1).slice()
    // The last 32 bytes are the signature's s.
    unsigned.fill(0xff, unsigned.length - 32)
    one.network.announceTransactions([
      new Uint8Array([1, 2, 3]),
      new Uint8Array(POOL_TRANSACTION_BYTES_MAX + 1),
      unsigned,
      encodedOf(0),
    ])
    await until(() => other.pool.size === 1)
    expect(other.network.reports).toHaveLength(2)
    for (const report of other.network.reports)
      expect(report).toMatchObject({ address: toHex(A.address), what: 'invalid-transaction' })
  })

  test('when a flood comes then what waits is bounded and the rest is dropped', async () => {
    let release: (() => void) | undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    let recovered = 0
    const [one, other] = await pair({
      recoverSenders: async transactions => {
        await held
        recovered += transactions.length
        return transactions.map(() => ALICE.address)
      },
    })
    const signed = encodedOf(0)
    const flood = Array.from({ length: 20_000 }, (_, index) => {
      const encoded = signed.slice()
      new DataView(encoded.buffer).setUint32(encoded.length - 8, index)
      return encoded
    })
    one.network.announceTransactions(flood)
    await Bun.sleep(50)
    release?.()
    await until(() => recovered >= 8_192)
    await Bun.sleep(50)
    expect(recovered).toBe(8_192)
    expect(other.pool.size).toBe(1)
  })
})
