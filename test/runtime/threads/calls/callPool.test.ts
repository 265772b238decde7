import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Outcome } from '../../../../handlers/rpc/dispatch/envelope.ts'
import { errorOutcome } from '../../../../handlers/rpc/dispatch/envelope.ts'
import {
  createCallPool,
  type CallPool,
  type CallPoolOptions,
} from '../../../../runtime/threads/calls/callPool.ts'
import { CALLS_WAITING_MAX, WAITING_LENGTH_MAX } from '../../../../runtime/threads/calls/waiting.ts'
import { startTestNode, type TestNode } from '../../../handlers/support/testNode.ts'
import { until } from '../../../support/until.ts'

setDefaultTimeout(120_000)

/** Creation code that jumps back for ever, and that returns one. */
const ENDLESS = { data: '0x5b600056', gas: '0xffffffffffff' }
const ONE = { data: '0x600160005260206000f3' }

let node: TestNode
beforeAll(async () => {
  node = await startTestNode({ rpc: { gasCap: 0n, timeoutMs: 400 } })
})
afterAll(() => node.close())

type Changes = Partial<CallPoolOptions>

/** A pool for one test; what its threads report is given to the test. */
const withPool = async (
  changes: Changes,
  use: (pool: CallPool, told: readonly unknown[]) => Promise<void>,
): Promise<void> => {
  const told: unknown[] = []
  const pool = createCallPool({
    chain: node.chain,
    options: node.context.options,
    minGasPrice: () => 0n,
    workers: 1,
    nowMs: () => Date.now(),
    reportError: (method, error) => told.push(`${method}: ${String(error)}`),
    onWorkerFailure: cause => told.push(cause),
    ...changes,
  })
  try {
    await use(pool, told)
  } finally {
    await pool.close()
  }
}

const call = (pool: CallPool, message: object, expired = () => false): Promise<Outcome | undefined> =>
  pool.run('eth_call', { params: [message, 'latest'], expired })

const isOne = { resultText: `"0x${'1'.padStart(64, '0')}"` }
const TIMEOUT = errorOutcome('TIMEOUT')
const patient = (): Changes => ({ options: { ...node.context.options, timeoutMs: 30_000 } })

/** Until a thread stands and answers: that takes as long as the machine lets it. */
const answering = async (pool: CallPool): Promise<void> => {
  await until(async () => Bun.deepEquals(await call(pool, ONE), isOne))
}

describe('given a call on a call worker', () => {
  test('when its time is over, then it ends, and the thread takes the next', () =>
    withPool({}, async (pool, told) => {
      await answering(pool)
      const outcomes = await Promise.all([call(pool, ENDLESS), call(pool, ENDLESS), call(pool, ENDLESS)])
      expect(outcomes).toEqual([TIMEOUT, TIMEOUT, TIMEOUT])
      await answering(pool)
      expect([pool.size, told]).toEqual([1, []])
    }))

  test('when long answers are being sent, then a trace waits for room, and a call goes on', () => {
    let isRoom = false
    const answers = { hold: () => () => undefined, isFull: () => false, hasRoom: () => isRoom }
    return withPool({ ...patient(), answers }, async pool => {
      const order: string[] = []
      const traced = pool
        .run('debug_traceCall', { params: [ONE, 'latest'], expired: () => false })
        .then(outcome => {
          order.push('trace')
          return outcome
        })
      await answering(pool)
      order.push('call')
      isRoom = true
      expect(await traced).not.toHaveProperty('error')
      expect(order).toEqual(['call', 'trace'])
    })
  })

  test('when nobody waits for it, then it ends, running or waiting', () =>
    withPool(patient(), async pool => {
      let gone = false
      const running = call(pool, ENDLESS, () => gone)
      const waiting = call(pool, ENDLESS, () => gone)
      const other = call(pool, ONE)
      await until(() => pool.size === 1)
      gone = true
      expect(await Promise.all([running, waiting, other])).toEqual([TIMEOUT, TIMEOUT, isOne])
    }))

  test('when it does not end after its grace, then its thread is replaced', () =>
    withPool({ graceMs: 0 }, async pool => {
      await answering(pool)
      expect(await call(pool, ENDLESS)).toEqual(TIMEOUT)
      expect(pool.size).toBe(0)
      await answering(pool)
    }))

  test('when too many or too much wait, then it is refused', () =>
    withPool(patient(), async pool => {
      let gone = false
      const expired = (): boolean => gone
      const fill = Array.from({ length: CALLS_WAITING_MAX }, () => call(pool, ENDLESS, expired))
      expect(await call(pool, ONE)).toEqual(errorOutcome('TOO_MANY_CALLS'))
      gone = true
      await Promise.all(fill)
      const long = { data: `0x${'00'.repeat(WAITING_LENGTH_MAX / 2)}` }
      expect(await call(pool, long)).toEqual(errorOutcome('TOO_MANY_CALLS'))
      expect(await call(pool, ONE)).toEqual(isOne)
    }))

  test('when the pool closes, then it and later ones get an error', () =>
    withPool(patient(), async pool => {
      const running = call(pool, ENDLESS)
      await until(() => pool.size === 1)
      const waiting = call(pool, ONE)
      await pool.close()
      const outcomes = await Promise.all([running, waiting, call(pool, ONE)])
      const error = errorOutcome('INTERNAL_ERROR')
      expect(outcomes).toEqual([error, error, error])
    }))
})

describe('given the call workers', () => {
  test('when calls come, then no more start than calls or the maximum, and they end when idle', () =>
    withPool({ ...patient(), workers: 2, idleMs: 50 }, async pool => {
      expect(pool.size).toBe(0)
      expect(await call(pool, ONE)).toEqual(isOne)
      expect(pool.size).toBe(1)
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => call(pool, ONE)))
      expect(outcomes).toEqual(outcomes.map(() => isOne))
      expect(pool.size).toBe(2)
      await until(() => pool.size === 0)
      expect(await call(pool, ONE)).toEqual(isOne)
    }))

  test('when they cannot start, then the caller runs the calls and knows why', () => {
    // A function cannot cross to a thread.
    const options = { ...node.context.options, unfit: () => undefined }
    return withPool({ options }, async (pool, told) => {
      expect([await call(pool, ONE), await call(pool, ONE)]).toEqual([undefined, undefined])
      expect(told).toHaveLength(1)
    })
  })

  test('when the node fails, then they report it', () =>
    withPool(patient(), async (pool, told) => {
      const outcome = await pool.run('txpool_status', { params: [], expired: () => false })
      expect(outcome).toEqual(errorOutcome('INTERNAL_ERROR'))
      expect(told.join()).toContain('txpool_status')
    }))
})
