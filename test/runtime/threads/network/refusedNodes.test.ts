import { describe, expect, test } from 'bun:test'
import { fromHex } from '../../../../core/bytes/hex.ts'
import { createRefusal } from '../../../../runtime/threads/network/refusedNodes.ts'

const KEY = `0x${'ab'.repeat(64)}`
const key = fromHex(KEY)

describe('given nodes that the options refuse', () => {
  test('when an id is banned, then it is refused at any address', () => {
    const refusal = createRefusal({ ids: [KEY], networks: [] })
    expect(refusal(key, '10.0.0.1')).toBe('its id is in --banned-node-ids')
    expect(refusal(fromHex(`0x${'cd'.repeat(64)}`), '10.0.0.1')).toBeUndefined()
  })

  test('when networks are named, then only their addresses are connected, and a name is judged by its address', () => {
    const refusal = createRefusal({ ids: [], networks: ['10.0.0.0/8', 'fd00::/8'] })
    for (const host of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00::1', 'node.example.org'])
      expect(refusal(key, host)).toBeUndefined()
    for (const host of ['11.1.2.3', 'fe80::1'])
      expect(refusal(key, host)).toBe(`${host} is outside of the networks of --net-restrict`)
  })
})
