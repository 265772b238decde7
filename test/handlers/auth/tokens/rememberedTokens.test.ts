import { describe, expect, test } from 'bun:test'
import {
  createRememberedTokens,
  REMEMBERED_TOKENS_MAX,
} from '../../../../handlers/auth/tokens/rememberedTokens.ts'

const entry = (token: string, expiresAtMs = 1_000) => ({
  token,
  expiresAtMs,
  username: undefined,
  permits: () => true,
})

describe('given tokens that were verified', () => {
  test('then one is known until it expires', () => {
    const tokens = createRememberedTokens()
    tokens.add(entry('a.b.signature-of-this-token'))
    expect(tokens.get('a.b.signature-of-this-token', 999)).toBeDefined()
    expect(tokens.get('a.b.signature-of-this-token', 1_000)).toBeUndefined()
    expect(tokens.get('a.b.signature-of-this-token', 0)).toBeUndefined()
  })

  test('then another token with the same end of the signature does not match', () => {
    const tokens = createRememberedTokens()
    tokens.add(entry('a.permissions.signature-of-this-token'))
    for (const forged of [
      'a.Permissions.signature-of-this-token',
      'a.b.signature-of-this-token',
      'signature-of-this-token',
    ])
      expect(tokens.get(forged, 0)).toBeUndefined()
  })

  test('then another token with the same signature does not match', () => {
    const tokens = createRememberedTokens()
    const signature = 's'.repeat(342)
    tokens.add(entry(`header.weak-payload.${signature}`))
    for (const forged of ['header.mine-payload', 'Header.weak-payload', 'header.weak_payload'])
      expect(tokens.get(`${forged}.${signature}`, 0)).toBeUndefined()
    for (let at = 0; at < signature.length; at += 7) {
      const other = `${signature.slice(0, at)}x${signature.slice(at + 1)}`
      expect(tokens.get(`header.weak-payload.${other}`, 0)).toBeUndefined()
    }
    expect(tokens.get(`header.weak-payload.${signature}`, 0)).toBeDefined()
  })

  test('then a limited number is kept, and the oldest are evicted first', () => {
    const tokens = createRememberedTokens(3)
    for (const name of ['one', 'two', 'three', 'four'])
      tokens.add(entry(`token-of-number-${name.padStart(22)}`))
    const known = ['one', 'two', 'three', 'four'].map(
      name => tokens.get(`token-of-number-${name.padStart(22)}`, 0) !== undefined,
    )
    expect(known).toEqual([false, true, true, true])
    expect(REMEMBERED_TOKENS_MAX).toBeLessThanOrEqual(10_000)
  })
})
