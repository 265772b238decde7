import { expect, test } from 'bun:test'
import { ipv6Words, ownedNetwork, siteNetwork } from '../../../p2p/transport/addressNetwork.ts'
import { createInboundConnectionLimit } from '../../../p2p/transport/inboundConnectionLimit.ts'

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0:0::/64', '2001:db8:0::/48'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64', '64:ff9b:0::/48'],
  ['203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
])('given the public address %s, then its owner has %s, and perhaps %s', (host, owned, site) => {
  expect([ownedNetwork(host), siteNetwork(host)]).toEqual([owned, site])
})

test.each([
  '::1',
  '::',
  'fd00::1',
  'fe80::1%eth0',
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  'node',
])('given %s, which is no public address, then it stands for itself', host => {
  expect([ownedNetwork(host), siteNetwork(host)]).toEqual([host, undefined])
})

test('given IPv6 addresses, then their words are read in each form', () => {
  expect(ipv6Words('::ffff:1.2.3.4')).toEqual([0, 0, 0, 0, 0, 0xffff, 0x102, 0x304])
  expect(ipv6Words('1::')).toEqual([1, 0, 0, 0, 0, 0, 0, 0])
  expect(ipv6Words('1:2:3:4:5:6:7:8')).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('given an attacker with a network of 2^64 addresses, when each connects once, then they have the allowance of one address', () => {
  const limit = createInboundConnectionLimit(() => 0)
  const count = (hostOf: (index: number) => string): number =>
    Array.from({ length: 300 }, (_, index) => index).filter(index => {
      const host = hostOf(index)
      return limit.admitsHandshake(host) && limit.admits(host, `id ${index}`, false)
    }).length
  const ofOne = count(() => '203.0.113.9')
  expect(ofOne).toBeLessThan(300)
  expect(count(index => `2001:db8:1:2::${index.toString(16)}`)).toBe(ofOne)
  expect(limit.admitsHandshake('2001:db8:1:3::1')).toBe(true)
  expect(count(index => `fd00::${index.toString(16)}`)).toBe(300)
})
