import { describe, expect, test } from 'bun:test'
import { toBareHex } from '../../../core/bytes/hex.ts'
import { addressOfPublicKey, addressOfPrivateKey, publicKeyOf } from '../../../core/crypto/crypto.ts'
import { EnodeError, formatEnode, parseEnode } from '../../../p2p/transport/enode.ts'
import { dialAddressOf, endpointOf, keyOfPeerId, peerIdOf } from '../../../p2p/transport/identity.ts'

const KEY = new Uint8Array(32).fill(1)
const PUBLIC_KEY = publicKeyOf(KEY)
const ID = toBareHex(PUBLIC_KEY)

describe('given an enode URL', () => {
  test.each([
    [`enode://${ID}@10.1.2.3:30303`, '10.1.2.3'],
    [`enode://${ID}@[2001:db8::1]:30303`, '2001:db8::1'],
    [`enode://${ID}@validator-1.example.com:30303`, 'validator-1.example.com'],
    [`enode://${ID}@node_1:30303?discport=0`, 'node_1'],
    [`enode://${ID}@localhost:1?discport=30301`, 'localhost'],
  ])('when it is %s, then it decodes and encodes to the same text', (text, host) => {
    const enode = parseEnode(text)
    expect(enode.host).toBe(host)
    expect(enode.publicKey).toEqual(PUBLIC_KEY)
    expect(formatEnode(enode)).toBe(text)
  })

  test.each([
    ['', 'SYNTAX'],
    ['http://example.com', 'SYNTAX'],
    [`enode://${ID}`, 'SYNTAX'],
    [`enode://${ID.slice(2)}@1.2.3.4:30303`, 'INVALID_NODE_ID'],
    [`enode://0x${ID.slice(2)}@1.2.3.4:30303`, 'INVALID_NODE_ID'],
    [`enode://${'0'.repeat(128)}@1.2.3.4:30303`, 'NODE_ID_NOT_A_KEY'],
    [`enode://${ID}@1.2.3.400:30303`, 'INVALID_HOST'],
    [`enode://${ID}@[zz::1]:30303`, 'INVALID_HOST'],
    [`enode://${ID}@[10.0.0.1]:30303`, 'INVALID_HOST'],
    [`enode://${ID}@a..b:30303`, 'INVALID_HOST'],
    [`enode://${ID}@${'a'.repeat(254)}:30303`, 'INVALID_HOST'],
    [`enode://${ID}@1.2.3.4`, 'INVALID_PORT'],
    [`enode://${ID}@1.2.3.4:0`, 'INVALID_PORT'],
    [`enode://${ID}@1.2.3.4:65536`, 'INVALID_PORT'],
    [`enode://${ID}@1.2.3.4:30303?discport=65536`, 'INVALID_PORT'],
    [`enode://${ID}@1.2.3.4:30303?other=1`, 'INVALID_PORT'],
  ])('when it is %p, then parsing fails with %s', (text, code) => {
    let error: unknown
    try {
      parseEnode(text)
    } catch (cause) {
      error = cause
    }
    expect(error).toBeInstanceOf(EnodeError)
    expect((error as EnodeError).code).toBe(code as EnodeError['code'])
    expect((error as EnodeError).message).toStartWith(`Invalid enode URL syntax '${text}'.`)
  })

  test('when it is compared with the libp2p name, then key and address are the same', () => {
    const peerId = peerIdOf(PUBLIC_KEY)
    expect(keyOfPeerId(peerId)).toEqual(PUBLIC_KEY)
    expect(addressOfPublicKey(PUBLIC_KEY)).toEqual(addressOfPrivateKey(KEY))
  })

  test.each([
    ['10.1.2.3', '/ip4/10.1.2.3/tcp/30303'],
    ['2001:db8::1', '/ip6/2001:db8::1/tcp/30303'],
    ['validator-1', '/dns/validator-1/tcp/30303'],
  ])('when the host is %s, then %s is dialed', (host, prefix) => {
    const address = dialAddressOf({ publicKey: PUBLIC_KEY, host, port: 30_303 })
    expect(address.toString()).toBe(`${prefix}/p2p/${peerIdOf(PUBLIC_KEY).toString()}`)
    expect(endpointOf(address)).toEqual({ host, port: 30_303 })
  })
})
