import { describe, expect, test } from 'bun:test'
import { unpermitted } from '../../../p2p/peers/permittedNodes.ts'

const KEY = new Uint8Array(64).fill(1)
const LIST = [{ publicKey: KEY, hosts: ['node1', '10.0.0.1'], port: 30_303 }]

describe('given a list of permitted nodes', () => {
  test('when id and endpoint agree, by name, address or its IPv6 form, then the node is permitted', () => {
    for (const host of ['node1', '10.0.0.1', '::ffff:10.0.0.1'])
      expect(unpermitted(LIST, KEY, host, 30_303)).toBeUndefined()
  })

  test('when anything differs, then it is not', () => {
    expect(unpermitted(LIST, new Uint8Array(64).fill(2), '10.0.0.1', 30_303)).toContain(
      'not in the allowlist',
    )
    expect(unpermitted(LIST, KEY, '10.0.0.2', 30_303)).toContain('another endpoint than 10.0.0.2:30303')
    expect(unpermitted(LIST, KEY, '10.0.0.1', 30_304)).toContain('another endpoint')
    expect(unpermitted([], KEY, '10.0.0.1', 30_303)).toContain('not in the allowlist')
  })

  test('when there is no list, then every node is permitted', () =>
    expect(unpermitted(undefined, KEY, '10.0.0.9', 1)).toBeUndefined())
})
