import { describe, expect, test } from 'bun:test'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { encodeRlp } from '../../../../core/rlp/rlp.ts'
import { agreeOn, OFFERED_CAPABILITIES } from '../../../../p2p/devp2p/base/capabilities.ts'
import { decodeDisconnect, encodeDisconnect } from '../../../../p2p/devp2p/base/disconnect.ts'
import { decodeHello, encodeHello } from '../../../../p2p/devp2p/base/hello.ts'

const hello = {
  version: 5,
  client: 'quorate/v0.1.0/linux-x64/bun',
  capabilities: OFFERED_CAPABILITIES,
  port: 30_303,
  publicKey: new Uint8Array(64).fill(3),
}

describe('given hello', () => {
  test('when it is written, then it reads back', () => {
    expect(decodeHello(encodeHello(hello))).toEqual(hello)
  })

  test('when it has an instance, then it reads back, and a further item of other software is none', () => {
    const withInstance = { ...hello, instance: '0123456789abcdef' }
    expect(decodeHello(encodeHello(withInstance))).toEqual(withInstance)
    const other = encodeRlp([5, new Uint8Array(1), [], 0, hello.publicKey, new Uint8Array(9)])
    expect(decodeHello(other).instance).toBeUndefined()
  })

  test('when it is of a later version, then it may have further items', () => {
    const text = new TextEncoder()
    const bytes = encodeRlp([6, text.encode('x'), [[text.encode('eth'), 99]], 0, hello.publicKey, [1], 2])
    expect(decodeHello(bytes)).toMatchObject({ version: 6, capabilities: [{ name: 'eth', version: 99 }] })
  })

  test('when its name has control characters, then it cannot forge a log line', () => {
    expect(decodeHello(encodeHello({ ...hello, client: 'a\n[ERROR] b' })).client).toBe('a?[ERROR] b')
  })

  test('when its port does not exist, then it announces none', () => {
    expect(decodeHello(encodeHello({ ...hello, port: 65_535 })).port).toBe(65_535)
    expect(decodeHello(encodeHello({ ...hello, port: 65_536 })).port).toBe(0)
  })

  test.each(['c0', '80', 'c3058080', 'ff'])('when it is %s, then it is refused', bytes => {
    expect(() => decodeHello(fromHex(bytes))).toThrow()
  })
})

describe('given capabilities', () => {
  const of = (...texts: readonly string[]) =>
    texts.map(text => ({ name: text.split('/')[0] as string, version: Number(text.split('/')[1]) }))

  test('when they are Besu 26.8’s, then eth/69 is chosen, with istanbul behind its 18 ids', () => {
    expect(agreeOn(of('eth/68', 'eth/69', 'eth/70', 'eth/71', 'istanbul/100', 'snap/1'))).toEqual({
      eth: { version: 69, offset: 0x10, ids: 18 },
      istanbul: { offset: 0x22, ids: 22 },
      quorate: undefined,
    })
  })

  test('when they are Besu 23.1’s, then eth/68 is chosen, with istanbul behind its 17 ids', () => {
    expect(agreeOn(of('eth/66', 'eth/67', 'eth/68', 'istanbul/100'))).toEqual({
      eth: { version: 68, offset: 0x10, ids: 17 },
      istanbul: { offset: 0x21, ids: 22 },
      quorate: undefined,
    })
  })

  test('when they are GoQuorum’s, then eth/66 is chosen', () => {
    expect(agreeOn(of('eth/65', 'eth/66', 'istanbul/64', 'istanbul/99', 'istanbul/100'))).toMatchObject({
      eth: { version: 66 },
      istanbul: { offset: 0x21 },
    })
  })

  test('when they are those of this software, then its own protocol is behind those of the others', () => {
    expect(agreeOn(OFFERED_CAPABILITIES)).toMatchObject({
      istanbul: { offset: 0x22, ids: 22 },
      quorate: { offset: 0x38, ids: 1 },
    })
    expect(agreeOn(of('eth/68', 'quorate/1'))?.quorate).toEqual({ offset: 0x21, ids: 1 })
  })

  test('when there is no istanbul, then the node can be followed', () => {
    expect(agreeOn(of('eth/68'))?.istanbul).toBeUndefined()
  })

  test('when no version of eth is shared, then the node is of no use', () => {
    expect(agreeOn(of('eth/70', 'istanbul/100'))).toBeUndefined()
  })
})

describe('given disconnect', () => {
  test.each([
    ['as a list', encodeDisconnect('tooManyPeers'), 4],
    ['as a bare byte', Uint8Array.of(4), 4],
    ['of zero as a list', fromHex('c180'), 0],
    ['without a reason', fromHex('c0'), undefined],
    ['that is empty', fromHex(''), undefined],
    ['that cannot be read', fromHex('f9ffff'), undefined],
  ] as const)('when it is %s, then it is read', (_, bytes, code) => {
    expect(decodeDisconnect(bytes)).toBe(code)
  })
})
