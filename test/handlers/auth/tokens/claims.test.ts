import { describe, expect, test } from 'bun:test'
import { createIssuer } from '../../../../handlers/auth/login/issuer.ts'
import { readClaims } from '../../../../handlers/auth/tokens/claims.ts'

const NOW_MS = 1_700_000_000_000

const payload = (claims: object): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ exp: NOW_MS / 1000 + 60, permissions: ['eth:*'], ...claims }))

describe('given a node that expects an issuer and an audience', () => {
  const expected = { issuer: 'https://login.example.org', audience: 'node-1' }

  test('when a token names both, then it is accepted, whether the audience is one or a list', () => {
    for (const aud of ['node-1', ['other', 'node-1']])
      expect(readClaims(payload({ iss: expected.issuer, aud }), NOW_MS, expected)).toMatchObject({
        permissions: ['eth:*'],
      })
  })

  test('when a token names others, or none, then it is refused, and the reason is told', () => {
    for (const iss of [undefined, 'https://login.example.com', ['https://login.example.org'], 1, null])
      expect(readClaims(payload({ iss, aud: 'node-1' }), NOW_MS, expected)).toBe('of another issuer')
    for (const aud of [undefined, 'node-2', ['node-2'], [], 'node-1 ', [['node-1']], null])
      expect(readClaims(payload({ iss: expected.issuer, aud }), NOW_MS, expected)).toBe(
        'for another audience',
      )
  })

  test('when it issues a token at a login, then the token names both', async () => {
    const issuer = await createIssuer(expected)
    const user = { name: 'alice', permissions: ['eth:*'], passwordHash: '', privacyPublicKey: undefined }
    const verified = await issuer.verify(await issuer.issue(user, NOW_MS))
    expect(readClaims(verified ?? new Uint8Array(), NOW_MS, expected)).toMatchObject({ username: 'alice' })
  })
})

test('given a node that expects nobody, when tokens name anybody, then they are accepted, as by Besu', () => {
  for (const claims of [{}, { iss: 'x' }, { aud: ['y'] }, { iss: 1, aud: null }])
    expect(readClaims(payload(claims), NOW_MS)).toMatchObject({ permissions: ['eth:*'] })
})
