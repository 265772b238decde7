import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { createClientOf } from '../../../handlers/auth/client.ts'
import {
  type IpNetwork,
  ipText,
  isWithin,
  parseIpAddress,
  parseIpNetwork,
} from '../../../handlers/auth/ipAddress.ts'

const network = (text: string): IpNetwork => parseIpNetwork(text) as IpNetwork

const trusting = (...proxies: readonly string[]) => createClientOf(proxies.map(network))

describe('given an address', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::FFFF:0a01:0203', '10.1.2.3'],
    ['::1', '::1'],
    ['2001:db8::8:800:200c:417a', '2001:db8::8:800:200c:417a'],
    ['fe80::1%eth0', 'fe80::1'],
  ])('when it is %s, then it is written %s', (text, same) => {
    expect(ipText(parseIpAddress(text) ?? [])).toBe(same)
  })

  test.each([
    '',
    'x',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4 ',
    ':',
    ':::',
    '1::2::3',
    '12345::',
    'g::',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '1.2.3.4::',
    '-1.2.3.4',
  ])('when it is %p, then it is not an address', text => {
    expect(parseIpAddress(text)).toBeUndefined()
  })

  test('when any eight groups are written short or long, then they read back', () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, parts => {
        fc.pre(parts.slice(0, 5).some(part => part !== 0))
        const long = parts.map(part => part.toString(16)).join(':')
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1)
        expect(ipText(parseIpAddress(long) ?? [])).toBe(short)
        expect(ipText(parseIpAddress(short) ?? [])).toBe(short)
      }),
    )
  })
})

describe('given a network', () => {
  test('then exactly the addresses with its first bits are within', () => {
    const bytes = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(bytes, bytes, fc.nat(32), (a, b, bits) => {
        const binary = (address: readonly number[]): string =>
          address.map(byte => byte.toString(2).padStart(8, '0')).join('')
        const expected = binary(a).slice(0, bits) === binary(b).slice(0, bits)
        expect(isWithin(a, { address: b, bits })).toBe(expected)
        const near = b.map((byte, index) => (index === 3 ? byte ^ 1 : byte))
        expect(isWithin(near, { address: b, bits })).toBe(bits < 32)
      }),
      { numRuns: 500 },
    )
  })

  test.each(['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/8/8', 'x/8', '::/129', '10.0.0.0/08'])(
    'when it is %p, then it is not a network',
    text => {
      expect(parseIpNetwork(text)).toBeUndefined()
    },
  )
})

describe('given an X-Forwarded-For header', () => {
  test('when no proxy is trusted, then it means nothing', () => {
    expect(trusting()('127.0.0.1', '6.6.6.6')).toBe('127.0.0.1')
  })

  test('when the other end is not a trusted proxy, then the header is ignored', () => {
    expect(trusting('10.0.0.0/8')('192.0.2.1', '6.6.6.6')).toBe('192.0.2.1')
  })

  test('when a trusted proxy sends it, then the last entry that is not a proxy is the client, whatever the entries before it', () => {
    const clientOf = trusting('10.0.0.0/8', '::1')
    expect(clientOf('10.0.0.1', '192.0.2.1')).toBe('192.0.2.1')
    expect(clientOf('::ffff:10.0.0.1', '6.6.6.6, 192.0.2.1,10.0.0.2')).toBe('192.0.2.1')
    expect(clientOf('::1', '6.6.6.6, [2001:db8::1]:443')).toBe('2001:db8::1')
    expect(clientOf('10.0.0.1', '192.0.2.1:5555')).toBe('192.0.2.1')
  })

  test('when an entry is not an address, then the proxy that sent it counts as the client', () => {
    const clientOf = trusting('10.0.0.0/8')
    for (const header of ['', 'unknown', '6.6.6.6, x', '6.6.6.6,', 'a\nb', '10.0.0.2, _hidden'])
      expect(clientOf('10.0.0.1', header)).toBe('10.0.0.1')
  })

  test('then nothing in front of what a trusted proxy wrote changes who the client is', () => {
    const clientOf = trusting('10.0.0.0/8')
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), forged => {
        expect(clientOf('10.0.0.1', `${forged}, 192.0.2.1`)).toBe('192.0.2.1')
        expect(clientOf('192.0.2.7', forged)).toBe('192.0.2.7')
      }),
      { numRuns: 500 },
    )
  })

  test('when it has more hops than any chain of proxies, then reading ends there', () => {
    const header = Array.from({ length: 10_000 }, () => '10.0.0.2').join(',')
    expect(trusting('10.0.0.0/8')('10.0.0.1', `192.0.2.1,${header}`)).toBe('10.0.0.2')
  })
})
