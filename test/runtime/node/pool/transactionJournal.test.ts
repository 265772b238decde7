import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { recoverHere } from '../../../../core/chain/importing/validation.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { createSubmissions, createSubmit } from '../../../../runtime/node/pool/submit.ts'
import {
  JOURNAL_FILE,
  readJournal,
  startTransactionJournal,
} from '../../../../runtime/node/pool/transactionJournal.ts'
import { extend, transfer } from '../../../core/chain/support/chain.ts'
import { USERS } from '../../../core/chain/support/keys.ts'
import { openNode } from '../../../p2p/sync/support/node.ts'
import { withFolder } from '../../folder.ts'

setDefaultTimeout(120_000)

const [ALICE, BOB] = USERS
const LOCAL = { local: true, addedAtMs: 0 }

/** A node of which only chain, pool and journal matter. */
const journalled = async (dataPath: string) => {
  const node = await openNode()
  const submissions = createSubmissions()
  const submit = createSubmit(node.chain, node.pool, node.poolHead, submissions)
  const journal = await startTransactionJournal({
    path: join(dataPath, JOURNAL_FILE),
    pool: node.pool,
    submit,
    submissions,
    recoverSenders: recoverHere,
    log: logOf('pool'),
  })
  return { ...node, submit, journal }
}

describe('given a journal that this node did not write', () => {
  test.each([100 * 1024 ** 2, 4 * 1024 ** 3])(
    'when it has %d bytes, then its beginning is read, and the rest is said to be unread',
    size =>
      withFolder(async folder => {
        const path = join(folder, JOURNAL_FILE)
        const { pool, poolHead } = await journalled(folder)
        for (let nonce = 0; nonce < 5; nonce++) pool.add(transfer(ALICE, nonce), poolHead(), LOCAL)
        const written = statSync(path).size
        // A file with a hole: no disk is needed for it.
        truncateSync(path, size)
        const { transactions, unreadBytes } = readJournal(path)
        expect([transactions.length, unreadBytes]).toEqual([5, size - written])
      }),
  )
})

test('given a folder in the place of the file, when the node starts, then it runs without the transactions of the last run', () =>
  withFolder(async folder => {
    mkdirSync(join(folder, JOURNAL_FILE))
    const { pool, poolHead, journal } = await journalled(folder)
    pool.add(transfer(ALICE, 0), poolHead(), LOCAL)
    expect(pool.size).toBe(1)
    journal.close()
  }))

describe('given the file in which Besu saves its pool', () => {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

  test('when this node starts on it, then its transactions are in the pool, and what this node saves is Besu’s format', () =>
    withFolder(async folder => {
      const path = join(folder, JOURNAL_FILE)
      const [legacy, typed, scored] = [transfer(ALICE, 0), transfer(ALICE, 1, { type: 2 }), transfer(BOB, 0)]
      const lines = [
        `l${base64(legacy.transaction.encoded)}`,
        `127r${base64(encodeRlp(typed.transaction.encoded))}`,
        `-128l${base64(scored.transaction.encoded)}`,
      ]
      writeFileSync(path, `${lines.join('\n')}\n`)
      const { pool, poolHead, journal } = await journalled(folder)
      expect(pool.size).toBe(3)
      const dropped = transfer(BOB, 1)
      pool.add(dropped, poolHead(), LOCAL)
      pool.remove(dropped.transaction.hash)
      journal.close()
      const saved = readFileSync(path, 'latin1').split('\n')
      expect(saved.pop()).toBe('')
      expect(saved.toSorted()).toEqual(lines.map(line => `127l${line.replace(/^-?\d*[lr]/, '')}`).toSorted())
    }))
})

describe('given a node that accepted transactions from RPC', () => {
  test('when it is killed and starts again, then they are in the pool', () =>
    withFolder(async folder => {
      const { pool, poolHead } = await journalled(folder)
      for (let nonce = 0; nonce < 5; nonce++) pool.add(transfer(ALICE, nonce), poolHead(), LOCAL)
      pool.add(transfer(BOB, 0), poolHead(), { local: false, addedAtMs: 0 })
      // Nothing is closed.
      const again = await journalled(folder)
      expect(again.pool.size).toBe(5)
      expect(again.pool.list().every(({ local }) => local)).toBe(true)
    }))

  test('when they were sent together, then they are written together before the client is answered', () =>
    withFolder(async folder => {
      const path = join(folder, JOURNAL_FILE)
      const { pool, poolHead, submit } = await journalled(folder)
      const sizes = new Set<number>()
      pool.onAdded(() => sizes.add(statSync(path).size))
      const sent = Array.from({ length: 5 }, (_, nonce) => transfer(ALICE, nonce))
      expect(await submit(sent)).toEqual(sent.map(() => undefined))
      expect(sizes).toEqual(new Set([0]))
      expect(readJournal(path).transactions.length).toBe(5)
      pool.remove(transfer(ALICE, 4).transaction.hash)
      pool.add(transfer(BOB, 0), poolHead(), LOCAL)
      expect(readJournal(path).transactions.length).toBe(5)
    }))

  test('when some were mined meanwhile, then only the others are kept', () =>
    withFolder(async folder => {
      const node = await journalled(folder)
      for (let nonce = 0; nonce < 5; nonce++) node.pool.add(transfer(ALICE, nonce), node.poolHead(), LOCAL)
      const again = await openNode()
      await extend(again.chain, [transfer(ALICE, 0), transfer(ALICE, 1)])
      const submissions = createSubmissions()
      const journal = await startTransactionJournal({
        path: join(folder, JOURNAL_FILE),
        pool: again.pool,
        submit: createSubmit(again.chain, again.pool, again.poolHead, submissions),
        submissions,
        recoverSenders: recoverHere,
        log: logOf('pool'),
      })
      journal.close()
      expect(again.pool.size).toBe(3)
      expect(readJournal(join(folder, JOURNAL_FILE)).transactions.map(({ nonce }) => nonce)).toEqual([
        2n,
        3n,
        4n,
      ])
    }))

  test('when the last record is incomplete, then the records before it are kept', () =>
    withFolder(async folder => {
      const { pool, poolHead } = await journalled(folder)
      for (let nonce = 0; nonce < 3; nonce++) pool.add(transfer(ALICE, nonce), poolHead(), LOCAL)
      const path = join(folder, JOURNAL_FILE)
      truncateSync(path, statSync(path).size - 7)
      expect(readJournal(path)).toMatchObject({ unreadBytes: 0 })
      expect(readJournal(path).transactions).toHaveLength(2)
      appendFileSync(path, new Uint8Array(40).fill(255))
      expect((await journalled(folder)).pool.size).toBe(2)
    }))

  test('when one was dropped because it ran too long, then it does not come back with the next start', () =>
    withFolder(async folder => {
      const { pool, poolHead } = await journalled(folder)
      const [endless, other] = [transfer(ALICE, 0), transfer(BOB, 0)]
      for (const sent of [endless, other]) pool.add(sent, poolHead(), LOCAL)
      for (let times = 0; times < 2; times++) pool.noteOverrun(endless, 'it ran for more than 375 ms', 0)
      expect((await journalled(folder)).pool.list().map(({ transaction }) => transaction.hash)).toEqual([
        other.transaction.hash,
      ])
    }))

  test('when one was dropped and is sent again, then it is kept', () =>
    withFolder(async folder => {
      const { pool, poolHead } = await journalled(folder)
      const sent = transfer(ALICE, 0)
      pool.add(sent, poolHead(), LOCAL)
      pool.remove(sent.transaction.hash)
      expect(readJournal(join(folder, JOURNAL_FILE)).transactions).toEqual([])
      pool.add(sent, poolHead(), LOCAL)
      expect((await journalled(folder)).pool.size).toBe(1)
    }))

  test('when many pass through the pool, then the file stays small', () =>
    withFolder(async folder => {
      const { pool, poolHead } = await journalled(folder)
      const data = new Uint8Array(60_000)
      for (let round = 0; round < 60; round++) {
        const sent = transfer(ALICE, 0, { data, gasLimit: 3_000_000n, value: BigInt(round) })
        pool.add(sent, poolHead(), LOCAL)
        pool.remove(sent.transaction.hash)
      }
      expect(statSync(join(folder, JOURNAL_FILE)).size).toBeLessThan(1.2 * 1024 * 1024)
    }))

  test('when a record in the middle is damaged, then those before it are read and the rest is counted', () =>
    withFolder(async folder => {
      const { pool, poolHead, journal } = await journalled(folder)
      pool.add(transfer(ALICE, 0), poolHead(), LOCAL)
      journal.close()
      const path = join(folder, JOURNAL_FILE)
      const whole = statSync(path).size
      appendFileSync(path, new Uint8Array(1_000))
      expect(readJournal(path).transactions).toHaveLength(1)
      expect(readJournal(path).unreadBytes).toBe(1_000)
      truncateSync(path, whole)
      appendFileSync(path, new Uint8Array(1_000).fill(0xfe))
      expect(readJournal(path).unreadBytes).toBe(1_000)
    }))
})
