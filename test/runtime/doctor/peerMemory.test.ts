import { expect, test } from 'bun:test'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { createPeerMemory } from '../../../runtime/doctor/peerMemory.ts'
import { testAddress, testKey } from '../genesis.ts'

const ENODE = formatEnode({ publicKey: publicKeyOf(testKey(2)), host: '10.0.0.3', port: 30_303 })

test('given a static node, when no dial has ended yet, then its address is known; afterwards the reason of the failure is', () => {
  const memory = createPeerMemory([ENODE])
  const trouble = (): string | undefined => memory.of(toHex(testAddress(2)))?.trouble
  expect(trouble()).toBe('10.0.0.3:30303: no answer yet')
  memory.dialFailed(ENODE, 'connect ECONNREFUSED 10.0.0.3:30303')
  expect(trouble()).toContain('10.0.0.3:30303: ')
  expect(trouble()).not.toContain('no answer yet')
  expect(memory.of(toHex(testAddress(3)))).toBeUndefined()
})
