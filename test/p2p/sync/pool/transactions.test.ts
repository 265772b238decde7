import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { equalBytes } from '../../../../core/bytes/bytes.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { recoverHere, type RecoverSenders } from '../../../../core/chain/importing/validation.ts'
import { POOL_TRANSACTION_BYTES_MAX } from '../../../../core/txpool/limits.ts'
import type { Peer } from '../../../../p2p/network.ts'
import { extend, transfer } from '../../../core/chain/support/chain.ts'
import { POOR, USERS, VALIDATORS } from '../../../core/chain/support/keys.ts'
import { type NodeOptions, type WiredNode } from '../support/node.ts'
import { wireEachTest } from '../support/wireEachTest.ts'
import { until } from '../../../support/until.ts'
import { turns } from '../../../support/turns.ts'

setDefaultTimeout(120_000)

const [A, B, C] = VALIDATORS
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
  test('when a transaction is sent to one node, then the other has it as a remote one', async () => {
    const [one, other] = await pair()
    const sent = transfer(ALICE, 0)
    one.pool.add(sent, one.poolHead(), LOCAL)
    await until(() => other.pool.size === 1)
    const found = other.pool.get(sent.transaction.hash)
    expect(found).toMatchObject({ local: false, sender: ALICE.address })
    expect(one.pool.get(sent.transaction.hash)).toMatchObject({ local: true })
  })

  test('when many are sent at once, then their senders are recovered in batches, and all arrive in the order of their nonces', async () => {
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

  test('when one arrives again, then it is validated only once', async () => {
    let recovered = 0
    const [one, other] = await pair({
      recoverSenders: transactions => {
        recovered += transactions.length
        return recoverHere(transactions)
      },
    })
    for (let again = 0; again < 5; again++) one.network.announceTransactions([encodedOf(0), encodedOf(0)])
    await until(() => other.pool.size === 1)
    await turns(20)
    expect(recovered).toBe(1)
  })

  test('when a payment arrives after the transaction that needs it, then both are added', async () => {
    const [one, other] = await pair()
    const poor = POOR.address
    const spend = transfer(POOR, 0, { to: ALICE.address, value: 1n })
    const fund = transfer(ALICE, 0, { to: poor, value: 10n ** 18n })
    one.network.announceTransactions([spend.transaction.encoded])
    await turns(20)
    expect(other.pool.size).toBe(0)
    one.network.announceTransactions([fund.transaction.encoded])
    await until(() => other.pool.size === 2)
    expect(other.pool.isRunnable(poor)).toBe(true)
  })

  test('when the sender gets the funds in the next block, then its transaction is added', async () => {
    const [one, other] = await pair()
    const spend = transfer(POOR, 0, { to: ALICE.address, value: 1n })
    one.network.announceTransactions([spend.transaction.encoded])
    await turns(20)
    expect(other.pool.size).toBe(0)
    await extend(other.chain, [transfer(ALICE, 0, { to: POOR.address, value: 10n ** 18n })])
    await until(() => other.pool.size === 1)
  })

  test('when one cannot be mined, then no peer is reported, and it may arrive again', async () => {
    const [one, other] = await pair()
    const cheap = transfer(ALICE, 0, { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }).transaction.encoded
    const distant = transfer(BOB, 100_000).transaction.encoded
    one.network.announceTransactions([cheap, distant, encodedOf(0)])
    await until(() => other.pool.size === 1)
    expect(other.network.reports).toEqual([])
  })

  test('when bytes are no transaction, or too many, then the peer is reported for each; not for an invalid signature', async () => {
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
})

/** That many different transactions with invalid signatures. */
const floodOf = (count: number): readonly Uint8Array[] => {
  const signed = encodedOf(0)
  return Array.from({ length: count }, (_, index) => {
    const encoded = signed.slice()
    new DataView(encoded.buffer).setUint32(encoded.length - 8, index)
    return encoded
  })
}

/** Recovers senders once it is released, and counts the transactions of batches without the `omitted` one. */
const heldRecovery = (omitted?: Uint8Array) => {
  const released = Promise.withResolvers<undefined>()
  const counted = { validated: 0 }
  const recoverSenders: RecoverSenders = async transactions => {
    await released.promise
    if (omitted === undefined || !transactions.some(({ hash }) => equalBytes(hash, omitted)))
      counted.validated += transactions.length
    return recoverHere(transactions)
  }
  return { recoverSenders, counted, release: () => released.resolve(undefined) }
}

describe('given a peer that floods', () => {
  test('when another peer sends one transaction, then it is validated after the running batch and one turn of the flood', async () => {
    const BATCH = 128
    const honest = transfer(BOB, 0)
    let validated = 0
    let before: number | undefined
    const started = Promise.withResolvers<undefined>()
    const released = Promise.withResolvers<undefined>()
    const [flooder, target] = await pair({
      recoverSenders: async transactions => {
        started.resolve(undefined)
        await released.promise
        if (transactions.some(({ hash }) => equalBytes(hash, honest.transaction.hash))) before ??= validated
        validated += transactions.length
        return recoverHere(transactions)
      },
    })
    const other = await node(C)
    wire.connect(other.network, target.network)
    await until(() => target.network.peers().length === 2)
    flooder.network.announceTransactions(floodOf(4_000))
    await started.promise
    other.network.announceTransactions([honest.transaction.encoded])
    await turns(50)
    released.resolve(undefined)
    await until(() => target.pool.get(honest.transaction.hash) !== undefined)
    expect(before).toBeLessThanOrEqual(BATCH)
  })

  test('when its next message has the transaction of a known sender, then that one is validated before the rest of the flood', async () => {
    const honest = transfer(BOB, 0)
    const { recoverSenders, counted, release } = heldRecovery(honest.transaction.hash)
    const [flooder, target] = await pair({ recoverSenders })
    flooder.network.announceTransactions(floodOf(4_000))
    await turns(50)
    flooder.network.announceTransactions([honest.transaction.encoded])
    await turns(50)
    release()
    await until(() => target.pool.get(honest.transaction.hash) !== undefined)
    expect(counted.validated).toBeLessThan(500)
  })

  test('when it floods with a copy of the transaction of another peer, then that one is not delayed', async () => {
    const honest = transfer(BOB, 0)
    const { recoverSenders, counted, release } = heldRecovery()
    const [flooder, target] = await pair({ recoverSenders })
    const other = await node(C)
    wire.connect(other.network, target.network)
    await until(() => target.network.peers().length === 2)
    flooder.network.announceTransactions([...floodOf(4_000), honest.transaction.encoded])
    await turns(50)
    other.network.announceTransactions([honest.transaction.encoded])
    await turns(50)
    release()
    await until(() => target.pool.get(honest.transaction.hash) !== undefined)
    expect(counted.validated).toBeLessThan(1_000)
  })

  test('when it is the only peer, then its queue is limited, and the rest is dropped', async () => {
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
    one.network.announceTransactions(floodOf(20_000))
    await turns(50)
    release?.()
    await until(() => recovered >= 8_192)
    await turns(50)
    expect(recovered).toBe(8_192)
    expect(other.pool.size).toBe(1)
  })
})

describe('given a gossip message of transactions', () => {
  const hears = async (...transactions: readonly Uint8Array[]): Promise<boolean> => {
    const [, other] = await pair()
    const [from] = other.network.peers()
    return (await other.sync.handlers.onTransactions(from as Peer, transactions)).isForwarded
  }

  test('when the pool adds one of them, then the message is forwarded', async () => {
    expect(await hears(encodedOf(0))).toBe(true)
  })

  test('when their sender has an account, then the message is forwarded, although they are refused for now', async () => {
    expect(await hears(transfer(BOB, 100_000).transaction.encoded)).toBe(true)
  })

  test('when their signatures are invalid, then the message is not forwarded', async () => {
    expect(await hears(...floodOf(10))).toBe(false)
  })

  test('when their unknown sender is paid later, then they are announced then', async () => {
    const [, other] = await pair()
    const third = await node(C)
    wire.connect(other.network, third.network)
    await until(() => other.network.peers().length === 2)
    const spend = transfer(POOR, 0, { to: ALICE.address, value: 1n })
    const from = other.network.peers()[0] as Peer
    expect(await other.sync.handlers.onTransactions(from, [spend.transaction.encoded])).toEqual({
      isForwarded: false,
      held: [],
    })
    const fund = transfer(ALICE, 0, { to: POOR.address, value: 10n ** 18n })
    other.pool.add(fund, other.poolHead(), LOCAL)
    await until(() => third.pool.size === 2)
  })
})
