import { expect, test } from 'bun:test'
import { createStateUpdates } from '../../../../runtime/threads/network/stateUpdates.ts'
import type { ToNetwork } from '../../../../runtime/threads/network/protocol.ts'
import { until } from '../../../support/until.ts'

test('given states in quick succession, when they are sent, then the first and the last arrive, and few between', async () => {
  let headNumber = 0n
  const posted: ToNetwork[] = []
  const updates = createStateUpdates({
    status: () => ({
      networkId: 1n,
      genesisHash: new Uint8Array(32),
      configuration: {},
      headNumber,
      headHash: new Uint8Array(32),
      client: 'test',
      neighbours: [],
      features: [],
    }),
    validators: () => undefined,
    permittedNodes: () => undefined,
    isDebug: () => false,
  })
  const last = (): bigint | undefined => {
    const message = posted.at(-1)
    return message?.kind === 'state' ? message.state.headNumber : undefined
  }
  updates.start(message => posted.push(message))
  expect(last()).toBe(0n)
  while (headNumber < 1_000n) {
    headNumber++
    updates.send(headNumber % 2n === 0n)
  }
  await until(() => last() === 1_000n)
  expect(posted.length).toBeLessThan(500)
  expect(posted.at(-1)).toMatchObject({ kind: 'state', broadcast: true })
  updates.stop()
})
