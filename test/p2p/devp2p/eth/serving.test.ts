import { expect, test } from 'bun:test'
import { ETH } from '../../../../p2p/devp2p/ethCodes.ts'
import type { EthPeer } from '../../../../p2p/devp2p/eth/ethPeer.ts'
import { encodeHeadersQuery } from '../../../../p2p/devp2p/eth/requests.ts'
import { createServing, type ServingOptions } from '../../../../p2p/devp2p/eth/serving.ts'

const HEADER = new Uint8Array(1024 * 1024)
const QUERY = encodeHeadersQuery(1n, { start: { number: 1n }, count: 2, skip: 0n, reverse: false })

/** A peer whose answers go nowhere; `answered` counts them. */
const peerOf = () => {
  const count = { answered: 0 }
  const outbox = { hasSpace: async () => void count.answered++ }
  const session = { outbox, agreed: undefined }
  return {
    count,
    peer: { version: 68, session, controller: new AbortController() } as unknown as EthPeer,
  }
}

test('given two peers that ask for long answers, when they had those of half a second, then further ones are delayed, and all are sent', async () => {
  const delays: number[] = []
  const handlers = {
    async *headers() {
      yield HEADER
      yield HEADER
    },
  } as unknown as ServingOptions['handlers']
  const serving = createServing({
    handlers,
    log: { warn: () => expect.unreachable() } as unknown as ServingOptions['log'],
    // No time passes: nothing is allowed again.
    nowMs: () => 0,
    pause: async ms => void delays.push(ms),
    onFlooding: () => expect.unreachable(),
  })
  const [first, second] = [peerOf(), peerOf()]
  for (let request = 0; request < 8; request++)
    for (const { peer } of [first, second]) serving.answer(peer, ETH.getBlockHeaders, QUERY)
  while (first.count.answered + second.count.answered < 16)
    await new Promise(resolve => setImmediate(resolve))

  // 8 MiB at once, then 2 MiB more each time at 16 MiB a second, up to the longest delay.
  expect(delays).toEqual([125, 250, 375, 500, 625, 750, 875, 1000, 1000, 1000, 1000, 1000])
})
