import { describe, expect, test } from 'bun:test'
import { concatBytes } from '../../../core/bytes/bytes.ts'
import { encodeRlp } from '../../../core/rlp/rlp.ts'
import { differingEntries, chainDifference } from '../../../p2p/peers/differences.ts'
import {
  decodeStatusMessage,
  encodeStatusMessage,
  type StatusMessage,
} from '../../../p2p/peers/statusMessage.ts'
import { statusOf } from '../networks.ts'

const HASH = new Uint8Array(32).fill(9)
const ADDRESS = new Uint8Array(20).fill(3)

describe('given status messages', () => {
  test.each<StatusMessage>([
    {
      kind: 'status',
      status: statusOf({
        headNumber: 2n ** 53n,
        configuration: { a: '1', 'config.qbft.überschuss': '{"x":[1]}', __proto__x: '' },
        neighbours: [ADDRESS, new Uint8Array(20)],
        features: ['positions/1', 'ü'],
      }),
      host: 'node.example.com',
      port: 30_303,
    },
    {
      kind: 'status',
      status: statusOf({ statement: { madeAtMs: 1_700_000_000_000, signature: new Uint8Array(65).fill(1) } }),
      host: '',
      port: 0,
    },
    { kind: 'status', status: statusOf({ historyStart: 2n ** 40n }), host: '', port: 0 },
    { kind: 'update', headNumber: 0n, headHash: HASH, neighbours: [] },
    { kind: 'update', headNumber: 9n, headHash: HASH, neighbours: [], timeMs: 5, historyStart: 7n },
    { kind: 'goodbye', reason: 'too many peers', refused: true, enodes: ['enode://a', 'enode://b'] },
    { kind: 'goodbye', reason: '', refused: false, enodes: [] },
    { kind: 'alive' },
  ])('when $kind is encoded, then it decodes to the same', message => {
    expect(decodeStatusMessage(encodeStatusMessage(message))).toEqual(message)
  })

  test('when an earlier release sends one, then it has no features', () => {
    const { networkId, genesisHash, client } = statusOf()
    const text = new TextEncoder().encode(client)
    const items = [networkId, genesisHash, [], 7n, HASH, text, [], text, 30_303]
    const read = decodeStatusMessage(concatBytes(Uint8Array.of(0), encodeRlp(items)))
    expect(read).toMatchObject({ kind: 'status', status: { headNumber: 7n, features: [] } })
  })

  const update = (...items: Parameters<typeof encodeRlp>[0][]): Uint8Array =>
    concatBytes(Uint8Array.of(1), encodeRlp(items))

  test.each([
    ['nothing', new Uint8Array(0)],
    ['an unknown code', Uint8Array.of(9)],
    ['no RLP', Uint8Array.of(0, 0xff, 0xff)],
    ['a list that is too short', Uint8Array.of(0, 0xc0)],
    ['a short hash', update(1, new Uint8Array(31), [])],
    ['a number with leading zeros', update(Uint8Array.of(0, 1), HASH, [])],
    ['a number beyond 8 bytes', update(2n ** 64n, HASH, [])],
    ['a neighbour that is no address', update(1, HASH, [HASH])],
    [
      'too many neighbours',
      update(
        1,
        HASH,
        Array.from({ length: 1025 }, () => ADDRESS),
      ),
    ],
    [
      'too many enodes',
      concatBytes(Uint8Array.of(2), encodeRlp([HASH, 0, Array.from({ length: 17 }, () => HASH)])),
    ],
    ['a reason too long', concatBytes(Uint8Array.of(2), encodeRlp([new Uint8Array(17_000), 0, []]))],
  ])('when they have %s, then they are refused', (_what, bytes) => {
    expect(() => decodeStatusMessage(bytes)).toThrow()
  })
})

describe('given two nodes whose genesis files differ', () => {
  test('when they are compared, then the entries that differ are named, whatever their order', () => {
    const own = statusOf({ configuration: { a: '1', b: '2', c: '3' } })
    expect(differingEntries(own, statusOf({ configuration: { c: '3', b: '2', a: '1' } }))).toEqual([])
    expect(differingEntries(own, statusOf({ configuration: { c: '4', d: '2', a: '1' } }))).toEqual([
      'b',
      'c',
      'd',
    ])
    expect(differingEntries(own, statusOf({ configuration: { toString: 'x' } }))).toEqual([
      'a',
      'b',
      'c',
      'toString',
    ])
  })

  test('when network id or genesis block differ, then they have different chains; not for another entry', () => {
    expect(chainDifference(statusOf(), statusOf({ configuration: {} }))).toBeUndefined()
    expect(chainDifference(statusOf(), statusOf({ networkId: 5n }))).toBe('its network id is 5, not 1337')
    expect(chainDifference(statusOf(), statusOf({ genesisHash: HASH }))).toContain(
      'its genesis block is 0x0909',
    )
  })
})
