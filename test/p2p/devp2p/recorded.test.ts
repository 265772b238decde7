import { expect, test } from 'bun:test'
import { addressOfPrivateKey, publicKeyOf } from '../../../core/crypto/crypto.ts'
import { decodeMessage } from '../../../core/qbft/codec/message.ts'
import { QBFT_CODES } from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'
import { agreeOn } from '../../../p2p/devp2p/base/capabilities.ts'
import { decodeHello } from '../../../p2p/devp2p/base/hello.ts'
import { forkIdAt } from '../../../p2p/devp2p/eth/forkId.ts'
import { decodeStatus, encodeStatus } from '../../../p2p/devp2p/eth/status.ts'
import { GOQUORUM_HELLO, GOQUORUM_ROUND_CHANGE, GOQUORUM_STATUS } from './recorded.ts'

const KEY = new Uint8Array(32).fill(0x11)

test('given the hello of a live GoQuorum, then it is read, and eth/66 with istanbul/100 is agreed', () => {
  const hello = decodeHello(GOQUORUM_HELLO)
  expect(hello.client).toBe('Geth/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.26.8')
  expect(hello.publicKey).toEqual(publicKeyOf(KEY))
  expect(agreeOn(hello.capabilities)).toMatchObject({ eth: { version: 66 }, istanbul: { offset: 0x21 } })
})

test('given the status of a live GoQuorum, then it is read, written alike, and has the fork id that this node computes', () => {
  const status = decodeStatus(66, GOQUORUM_STATUS)
  expect(status).toMatchObject({ version: 66, networkId: 1337n, head: { totalDifficulty: 1n } })
  expect(encodeStatus(status)).toEqual(GOQUORUM_STATUS)
  const head = { number: 0n, timestamp: 0n }
  expect(forkIdAt(status.genesisHash, { blocks: [], times: [] }, head)).toEqual(status.forkId)
})

test('given the round change of a live GoQuorum, then it is read, and signed by its node key', () => {
  const code = QBFT_CODES['round-change']
  const { signed } = decodeMessage(code, GOQUORUM_ROUND_CHANGE)
  expect(signed.payload).toEqual({ sequence: 1n, round: 2, prepared: undefined })
  expect(authorOf(code, signed)).toEqual(addressOfPrivateKey(KEY))
})
