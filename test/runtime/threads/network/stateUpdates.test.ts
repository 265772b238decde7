import { expect, test } from 'bun:test'
import { createStateUpdates } from '../../../../runtime/threads/network/stateUpdates.ts'
import type { ToNetwork } from '../../../../runtime/threads/network/protocol.ts'
import { until } from '../../../support/until.ts'

const createUpdates = (head: () => { readonly number: bigint; readonly timestamp: bigint }) =>
  createStateUpdates({
    status: () => ({
      networkId: 1n,
      genesisHash: new Uint8Array(32),
      configuration: {},
      headNumber: head().number,
      headHash: new Uint8Array(32),
      headTimestamp: head().timestamp,
      client: 'test',
      neighbours: [],
      features: [],
    }),
    validators: () => undefined,
    permittedNodes: () => undefined,
    isDebug: () => false,
  })

const nowSeconds = (): bigint => BigInt(Math.floor(Date.now() / 1000))

const numberOf = (message: ToNetwork | undefined): bigint | undefined =>
  message?.kind === 'state' ? message.state.headNumber : undefined

test('given states in quick succession, when they are sent, then the first and the last arrive, and few between', async () => {
  let number = 0n
  const posted: ToNetwork[] = []
  const updates = createUpdates(() => ({ number, timestamp: nowSeconds() }))
  updates.start(message => posted.push(message))
  expect(numberOf(posted.at(-1))).toBe(0n)
  while (number < 1_000n) {
    number++
    updates.send(number % 2n === 0n)
  }
  await until(() => numberOf(posted.at(-1)) === 1_000n)
  expect(posted.length).toBeLessThan(500)
  expect(posted.at(-1)).toMatchObject({ kind: 'state', broadcast: true })
  updates.stop()
})

test('given a head of long ago, when a second state is sent, then it arrives later than that of a node with a fresh head', async () => {
  const arrived: string[] = []
  const all = (['old', 'fresh'] as const).map(name => {
    let number = 0n
    const updates = createUpdates(() => ({ number, timestamp: name === 'old' ? 1n : nowSeconds() }))
    updates.start(message => numberOf(message) === 1n && arrived.push(name))
    number = 1n
    updates.send(false)
    return updates
  })
  await until(() => arrived.length === 2)
  expect(arrived).toEqual(['fresh', 'old'])
  for (const updates of all) updates.stop()
})
