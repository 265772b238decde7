import { expect, test } from 'bun:test'
import { createTransactionPool } from '../../../../core/txpool/transactionPool.ts'
import { logOf } from '../../../../runtime/logging/log.ts'
import { dropOld } from '../../../../runtime/node/pool/poolAging.ts'
import { from, headWith, optionsWith } from '../../../core/txpool/fixtures.ts'

const HOUR_MS = 3_600_000

test('given transactions beyond the retention, when they are aged, then all leave the pool', async () => {
  const pool = createTransactionPool(optionsWith())
  for (let sender = 0; sender < 500; sender++)
    pool.add(from(sender), headWith(), { local: false, addedAtMs: sender < 450 ? 0 : 10 * HOUR_MS })
  const options = { pool, retentionMs: 13 * HOUR_MS, log: logOf('test') }
  expect(await dropOld({ ...options, nowMs: () => 13 * HOUR_MS })).toBe(0)
  expect(await dropOld({ ...options, nowMs: () => 13 * HOUR_MS + 1 })).toBe(450)
  expect(pool.size).toBe(50)
})
