import { expect, test } from 'bun:test'
import type { EthPeer } from '../../../../p2p/devp2p/eth/ethPeer.ts'
import { encodeWithId, openWithId } from '../../../../p2p/devp2p/eth/requests.ts'
import {
  createTransactionFetcher,
  type FetcherOptions,
} from '../../../../p2p/devp2p/node/transactionFetcher.ts'
import { until } from '../../../support/until.ts'

const NONE = openWithId(encodeWithId(1n, [])).content

/** Those of eight requests. */
const HASHES = Array.from({ length: 2000 }, (_, index) => {
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, index)
  return hash
})
const ANNOUNCEMENTS = HASHES.map(hash => ({ hash, type: undefined, size: undefined }))

/** A peer whose requests end with `outcome`; `asked` counts them. */
const peerOf = (outcome: () => Promise<unknown>) => {
  const count = { asked: 0 }
  const ask = () => {
    count.asked++
    return outcome()
  }
  const peer = { requests: { ask }, controller: new AbortController(), session: {} }
  return { count, peer: peer as unknown as EthPeer }
}

test('given a peer that announces transactions and does not deliver them, when its first requests fail, then all are fetched from another announcer', async () => {
  const silent = peerOf(() => Promise.reject(new Error('no answer')))
  const honest = peerOf(() => Promise.resolve(NONE))
  const fetcher = createTransactionFetcher({
    log: { debug: () => undefined } as unknown as FetcherOptions['log'],
    isSeen: () => false,
    onTransactions: () => expect.unreachable(),
    onBadAnswer: () => undefined,
  })
  fetcher.announced(silent.peer, ANNOUNCEMENTS)
  fetcher.announced(honest.peer, ANNOUNCEMENTS)
  await until(() => honest.count.asked >= 8)
  expect({ silent: silent.count.asked, honest: honest.count.asked }).toEqual({ silent: 2, honest: 8 })
  fetcher.stop()
})
