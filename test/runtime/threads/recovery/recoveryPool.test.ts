import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../../core/bytes/integer.ts'
import { sign } from '../../../../core/crypto/crypto.ts'
import { HALF_ORDER, recoverSigner, SECP256K1_ORDER } from '../../../../core/crypto/recovery.ts'
import type { Recovery } from '../../../../runtime/threads/recovery/signatureBuffers.ts'
import {
  createRecoveryPool,
  RECOVERIES_PENDING_MAX,
  RecoveryPoolFullError,
} from '../../../../runtime/threads/recovery/recoveryPool.ts'
import { seededRandom } from '../../../support/random.ts'

const random = seededRandom(7)

const signed = (): Recovery => {
  const hash = random.bytes(32)
  const { r, s, yParity } = sign(hash, random.bytes(32))
  return { hash, yParity, r: bytesToBigint(r), s: bytesToBigint(s) }
}

const first = signed()
const INVALID: readonly Recovery[] = [
  { ...first, r: 0n },
  { ...first, s: 0n },
  { ...first, r: SECP256K1_ORDER },
  { ...first, s: SECP256K1_ORDER },
  { ...first, r: 2n ** 256n },
  { ...first, s: -1n },
  { ...first, yParity: 2 },
  { ...first, yParity: 256 },
]
const BATCH: readonly Recovery[] = [
  ...Array.from({ length: 150 }, signed),
  ...INVALID,
  { ...first, s: SECP256K1_ORDER - first.s, yParity: 1 - first.yParity },
]

const text = (address: Uint8Array | undefined): string =>
  address === undefined ? 'none' : toBareHex(address)
const EXPECTED = BATCH.map(({ hash, yParity, r, s }) => text(recoverSigner(hash, yParity, r, s)))

describe('given a batch of signatures to recover', () => {
  for (const workers of [0, 1, 2]) {
    test(`when there are ${workers} threads beside the main one, then the signers come in order`, async () => {
      const failures: unknown[] = []
      const pool = createRecoveryPool({ workers, onWorkerFailure: cause => failures.push(cause) })
      for (let round = 0; round < 3; round++) expect((await pool.recover(BATCH)).map(text)).toEqual(EXPECTED)
      await pool.close()
      expect(failures).toEqual([])
    })
  }

  test('when values belong to no key, then there is no signer, and one for a high s', () => {
    expect(first.s <= HALF_ORDER).toBe(true)
    expect(EXPECTED.slice(150, -1)).toEqual(INVALID.map(() => 'none'))
    expect(EXPECTED.at(-1)).toBe(text(recoverSigner(first.hash, first.yParity, first.r, first.s)))
  })

  test('when batches run at the same time, then they do not mix', async () => {
    const pool = createRecoveryPool({ workers: 1 })
    const parts = [BATCH.slice(0, 3), BATCH.slice(0, 40), BATCH.slice(40, 140), BATCH.slice(100), []]
    const answers = await Promise.all(parts.map(pool.recover))
    const expected = [
      EXPECTED.slice(0, 3),
      EXPECTED.slice(0, 40),
      EXPECTED.slice(40, 140),
      EXPECTED.slice(100),
      [],
    ]
    expect(answers.map(part => part.map(text))).toEqual(expected)
    await pool.close()
  })

  test('when many small batches run at the same time, then they do not mix', async () => {
    for (const workers of [0, 1]) {
      const pool = createRecoveryPool({ workers })
      const parts = Array.from({ length: BATCH.length }, (_, at) => [at, at + (at % 4)] as const)
      const answers = await Promise.all(parts.map(part => pool.recover(BATCH.slice(...part))))
      expect(answers.map(part => part.map(text))).toEqual(parts.map(part => EXPECTED.slice(...part)))
      await pool.close()
    }
  })

  for (const workers of [0, 1]) {
    test(`when the signers are needed later and there are ${workers} threads, then they come in order, hurried or not`, async () => {
      const pool = createRecoveryPool({ workers })
      const later = [pool.recoverLater(BATCH), pool.recoverLater(BATCH)]
      const now = await pool.recover(BATCH.slice(0, 16))
      later[1]?.hurry()
      expect(now.map(text)).toEqual(EXPECTED.slice(0, 16))
      for (const { signers } of later) expect((await signers).map(text)).toEqual(EXPECTED)
      await pool.close()
    })
  }

  test('when the signers are needed later and the threads end, then the main thread finds them', async () => {
    const pool = createRecoveryPool({ workers: 1 })
    const { signers } = pool.recoverLater(BATCH)
    await pool.close()
    expect((await signers).map(text)).toEqual(EXPECTED)
    expect((await pool.recoverLater(BATCH).signers).map(text)).toEqual(EXPECTED)
  })

  test('when a short batch comes after a long one, then it is recovered first', async () => {
    const pool = createRecoveryPool({ workers: 0 })
    const done: string[] = []
    await Promise.all([
      pool.recover([...BATCH, ...BATCH, ...BATCH]).then(() => done.push('long')),
      pool.recover(BATCH.slice(0, 16)).then(() => done.push('short')),
    ])
    expect(done).toEqual(['short', 'long'])
  })

  test('when the pool closes meanwhile, then it finishes, and goes on without threads', async () => {
    const pool = createRecoveryPool({ workers: 2 })
    await pool.recover(BATCH)
    const underWay = pool.recover(BATCH)
    await pool.close()
    expect((await underWay).map(text)).toEqual(EXPECTED)
    expect((await pool.recover(BATCH)).map(text)).toEqual(EXPECTED)
    await pool.close()
  })

  test('when it is recovered, then the main thread serves others', async () => {
    const pool = createRecoveryPool({ workers: 0 })
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await pool.recover([...BATCH, ...BATCH, ...BATCH])
    clearInterval(timer)
    expect(turns).toBeGreaterThan(0)
  })

  test('when more wait than allowed, then it is refused with a typed error', async () => {
    const pool = createRecoveryPool({ workers: 0 })
    const batch = Array.from({ length: RECOVERIES_PENDING_MAX + 1 }, () => first)
    const failure = await pool.recover(batch).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(RecoveryPoolFullError)
    const later = pool.recoverLater(batch)
    later.hurry()
    expect(await later.signers.catch((error: unknown) => error)).toBeInstanceOf(RecoveryPoolFullError)
  })
})
