import { expect, test } from 'bun:test'
import type { WorkerEnvironment } from '../../../runtime/workers/environment.ts'
import { settingsOf } from '../../../runtime/workers/settings.ts'
import { storeOf } from '../../../runtime/workers/stores.ts'
import { rejection } from '../../support/rejection.ts'

const GENESIS_HASH = new Uint8Array(32)

/** An environment in which these are bound; none is used before they are checked. */
const bound = (...names: readonly (keyof WorkerEnvironment)[]): WorkerEnvironment =>
  Object.fromEntries(names.map(name => [name, {}]))

test.each<[readonly (keyof WorkerEnvironment)[], string]>([
  [[], 'no store is bound: bind CHAIN (a Durable Object) or DATABASE (D1)'],
  [['VALUES'], 'R2 and KV hold only values that never change, and so not the head'],
  [['VALUES_KV'], 'R2 and KV hold only values that never change, and so not the head'],
  [['CHAIN', 'DATABASE'], 'the head is kept in one store'],
  [['CHAIN', 'VALUES', 'VALUES_KV'], 'values are kept in one store'],
  [['HYPERDRIVE'], 'PostgreSQL needs main = "runtime/workers/postgresql.ts"'],
])('given a deployment with the bindings %p, then it is refused with the reason', async (names, reason) => {
  const error = await rejection(storeOf(bound(...names), GENESIS_HASH))
  expect(String(error)).toContain(reason)
})

test.each<[WorkerEnvironment, string]>([
  [{ APIS: 'ETH,EHT' }, 'the variable APIS cannot be used: EHT is not one of ETH, NET'],
  [{ UPSTREAM: 'node:8545' }, 'the variable UPSTREAM cannot be used: '],
  [{ CORS_ORIGINS: 'https://a.example,(' }, "the variable CORS_ORIGINS cannot be used: '('"],
  [{ VERIFY: 'all' }, 'the variable VERIFY cannot be used'],
  [{ TRUSTED_BLOCK: '5' }, 'the variable TRUSTED_BLOCK cannot be used'],
  [{ MAX_HEAD_AGE: '-1' }, 'the variable MAX_HEAD_AGE cannot be used'],
])('given a deployment with %p, then it is refused with the reason', (environment, reason) => {
  expect(() => settingsOf(environment)).toThrow(reason)
})

test('given a deployment without variables, then it has defaults', () => {
  expect(settingsOf({ APIS: 'eth, qbft', CORS_ORIGINS: '*' })).toMatchObject({
    apis: ['ETH', 'QBFT'],
    corsOrigins: ['*'],
    upstream: undefined,
    verification: 'head',
  })
})
