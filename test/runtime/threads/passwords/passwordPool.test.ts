import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { compareSync, hashSync } from 'bcryptjs'
import { dummyHash, type PasswordJob } from '../../../../handlers/auth/login/password.ts'
import { createPasswordPool, type PasswordPool } from '../../../../runtime/threads/passwords/passwordPool.ts'

/** Besu's own example, of the password `pegasys`. */
const BESU_HASH = '$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC'

const pools: PasswordPool[] = []

type Check = (job: PasswordJob, username?: string, network?: string) => Promise<boolean>

const open = (threads?: number): { readonly check: Check; readonly close: () => Promise<void> } => {
  const pool = createPasswordPool(threads)
  pools.push(pool)
  const check: Check = (job, username = 'alice', network = '192.0.2.1') =>
    pool.check(job, { network, username, isKnown: false })
  return { check, close: pool.close }
}

afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})

const cheap = (password: string): string => hashSync(password, 4)

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: { code?: unknown }) => error.code,
  )

describe('given a pool of threads', () => {
  test('then it tells right passwords from wrong ones, of Besu’s hashes and of others', async () => {
    const { check } = open()
    expect(await check({ password: 'pegasys', hash: BESU_HASH, failCost: 10 })).toBe(true)
    expect(await check({ password: 'Pegasys', hash: BESU_HASH, failCost: 10 })).toBe(false)
    for (const prefix of ['$2a$', '$2b$', '$2y$']) {
      const hash = cheap('ä€😀').replace(/^\$2b\$/, () => prefix)
      expect(await check({ password: 'ä€😀', hash, failCost: 4 })).toBe(true)
      expect(await check({ password: 'ä€', hash, failCost: 6 })).toBe(false)
    }
  })

  test('then the thread that serves goes on while a password is checked', async () => {
    const { check } = open()
    let turns = 0
    let done = false
    const count = (): void => {
      turns++
      if (!done) setImmediate(count)
    }
    count()
    await check({ password: 'pegasys', hash: BESU_HASH, failCost: 10 })
    done = true
    // Comparing on this thread would leave it one or two.
    expect(turns).toBeGreaterThan(10)
  })

  test('then those that wait are bounded in what they cost, and the end of the pool ends them', async () => {
    const { check } = open(1)
    const dear = { password: 'x', hash: dummyHash(14), failCost: 14 }
    const refusals = Promise.all(Array.from({ length: 10 }, (_, index) => codeOf(check(dear, `${index}`))))
    await pools.splice(0)[0]?.close()
    const codes = await refusals
    // One runs and four wait: 64 times what Besu's hash costs; those end with the pool.
    expect(codes.filter(code => code === 'PASSWORD_QUEUE_FULL').length).toBeGreaterThanOrEqual(9)
  })

  test('when one network has sent many, then that of another network is checked next', async () => {
    const { check } = open(1)
    const order: string[] = []
    const send = async (username: string, network: string): Promise<void> => {
      await check({ password: 'x', hash: cheap('y'), failCost: 4 }, username, network)
      order.push(network)
    }
    const attacks = Array.from({ length: 20 }, (_, index) => send(`${index}`, '192.0.2.1'))
    const other = send('alice', '192.0.2.2')
    await Promise.all([...attacks, other])
    // One is under way, and one more has its turn.
    expect(order.indexOf('192.0.2.2')).toBe(2)
  })

  test('then one thread answers in order', async () => {
    const { check } = open(1)
    const order: number[] = []
    await Promise.all(
      [0, 1, 2, 3].map(async index => {
        await check({ password: 'x', hash: cheap('y'), failCost: 4 })
        order.push(index)
      }),
    )
    expect(order).toEqual([0, 1, 2, 3])
  })

  test.skipIf(process.platform !== 'linux')('then the threads run at a lower priority', async () => {
    const before = getPriority()
    const { check } = open(1)
    await check({ password: 'x', hash: cheap('x'), failCost: 4 })
    // Behind the name in brackets the 17th value is the niceness.
    const nice = readdirSync('/proc/self/task').map(thread =>
      Number(readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]),
    )
    // A thread that it starts has its priority too.
    expect(nice).toContain(10)
    expect(getPriority()).toBe(before)
  })

  test('when a thread dies, then its password is an error, and the next has a new thread', async () => {
    const { check } = open(1)
    const broken = `$2x$10$${'a'.repeat(53)}`
    const errors: unknown[] = []
    await check({ password: 'x', hash: broken, failCost: 10 }).catch((error: unknown) => errors.push(error))
    expect(errors.length).toBe(1)
    expect(await check({ password: 'x', hash: cheap('x'), failCost: 4 })).toBe(true)
  })

  test('when it is closed, then nothing more is accepted', async () => {
    const pool = open()
    await pool.close()
    expect(await codeOf(pool.check({ password: 'x', hash: cheap('x'), failCost: 4 }))).toBe(
      'PASSWORD_QUEUE_FULL',
    )
  })
})

describe('given the hash for unknown users', () => {
  test('then bcrypt reads it, and no simple password matches it', () => {
    for (const password of ['', 'a', 'password', 'nobody'])
      expect(compareSync(password, dummyHash(4))).toBe(false)
    expect(dummyHash(10).length).toBe(60)
  })
})
