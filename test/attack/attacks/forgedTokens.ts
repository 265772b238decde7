import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NodeProcess, startNode } from '../../runtime/nodeProcess.ts'
import type { Attack } from '../attack.ts'

const REPETITIONS = 20

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

export const newKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

export const signedToken = (
  privateKey: string,
  claims: unknown,
  header: unknown = { alg: 'RS256', typ: 'JWT' },
) => {
  const input = `${part(header)}.${part(claims)}`
  return `${input}.${createSign('sha256').update(input).sign(privateKey, 'base64url')}`
}

/** Tokens that a node with this public key must refuse, each with what is wrong about it. */
export const forgeries = (publicKey: string, privateKey: string): readonly (readonly [string, string])[] => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { permissions: ['*:*'], username: 'mallory', exp: now + 3600 }
  const genuine = signedToken(privateKey, claims)
  const [header = '', body = '', signature = ''] = genuine.split('.')
  const hmac = (alg: string, hash: string, secret: string): string => {
    const input = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
    return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
  }
  const changed = part({ ...claims, username: 'root' })
  return [
    ['no signature', `${header}.${body}`],
    ['an empty signature', `${header}.${body}.`],
    ['a cut signature', `${header}.${body}.${signature.slice(0, -8)}`],
    ['a signature of zeros', `${header}.${body}.${Buffer.alloc(256).toString('base64url')}`],
    ['changed claims', `${header}.${changed}.${signature}`],
    ['another key', signedToken(newKeys().privateKey, claims)],
    ...['none', 'None', 'NONE', ''].map(alg => [`algorithm "${alg}"`, `${part({ alg })}.${body}.`] as const),
    ['HS256 with the public key', hmac('HS256', 'sha256', publicKey)],
    ['HS512 with the public key', hmac('HS512', 'sha512', publicKey)],
    ['RS256 that is an HMAC', hmac('RS256', 'sha256', publicKey)],
    ['a key in its header', signedToken(newKeys().privateKey, claims, { alg: 'RS256', jwk: { kty: 'RSA' } })],
    ['a critical header', signedToken(privateKey, claims, { alg: 'RS256', crit: ['x'], x: 1 })],
    ['an expiry in the past', signedToken(privateKey, { ...claims, exp: now - 3600 })],
    ['no expiry', signedToken(privateKey, { permissions: ['*:*'] })],
    ['an expiry that is text', signedToken(privateKey, { ...claims, exp: 'never' })],
    ['a time that has not come', signedToken(privateKey, { ...claims, nbf: now + 3600 })],
    ['no permissions', signedToken(privateKey, { username: 'mallory', exp: now + 3600 })],
    ['permissions for another method', signedToken(privateKey, { ...claims, permissions: ['net:version'] })],
    ['permissions that are text', signedToken(privateKey, { ...claims, permissions: '*:*' })],
    ['claims that are a list', `${header}.${part([])}.${signature}`],
    ['claims behind a byte order mark', `${header}.${part(`\ufeff${JSON.stringify(claims)}`)}.${signature}`],
    ['a second algorithm', `${part('{"alg":"RS256","alg":"none"}')}.${body}.`],
    ['a header without an algorithm', `${part({ typ: 'JWT' })}.${body}.${signature}`],
    ['a header that is a list', `${part(['RS256'])}.${body}.${signature}`],
    ['unencoded claims', signedToken(privateKey, claims, { alg: 'RS256', b64: false, crit: ['b64'] })],
    ['compressed claims', signedToken(newKeys().privateKey, claims, { alg: 'RS256', zip: 'DEF' })],
    [
      'a key behind an address',
      signedToken(newKeys().privateKey, claims, { alg: 'RS256', jku: 'http://localhost/' }),
    ],
    [
      'a certificate in its header',
      signedToken(newKeys().privateKey, claims, { alg: 'RS256', x5c: ['MIIB'] }),
    ],
    [
      'a key id that is a path',
      signedToken(newKeys().privateKey, claims, { alg: 'RS256', kid: '../../dev/null' }),
    ],
    ['RSA-PSS by name', signedToken(privateKey, claims, { alg: 'PS256', typ: 'JWT' })],
    ['ES256 with a signature of RSA', signedToken(privateKey, claims, { alg: 'ES256', typ: 'JWT' })],
    ['five parts', `${genuine}.${body}.${signature}`],
    ['padding', `${genuine}=`],
    [
      'base64 of the other alphabet',
      `${header}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    ],
    ['a space within', genuine.replace('.', ' .')],
    ['an expiry below zero', signedToken(privateKey, { ...claims, exp: -1 })],
    ['a time that is text', signedToken(privateKey, { ...claims, nbf: 'now' })],
    ['three dots', '...'],
    ['a megabyte', 'a'.repeat(1_000_000)],
  ]
}

const status = async (node: NodeProcess, token: string): Promise<number | string> => {
  try {
    const response = await fetch(node.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    })
    return response.status
  } catch (error) {
    // A header that is too long ends the connection.
    return String(error)
  }
}

export const forgedTokens: Attack = {
  name: 'forged-tokens',
  what: 'Sends forged tokens of some forty kinds to a node that asks for tokens, over and over.',
  run: async ({ folder, say }) => {
    const { publicKey, privateKey } = newKeys()
    const file = join(folder, 'issuer-public.pem')
    writeFileSync(file, publicKey)
    const node = await startNode(join(folder, 'secured'), [
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-jwt-public-key-file=${file}`,
    ])
    const faults: string[] = []
    try {
      const tokens = forgeries(publicKey, privateKey)
      for (let repetition = 0; repetition < REPETITIONS; repetition++)
        for (const [what, token] of tokens) {
          const answer = await status(node, token)
          if (answer === 200) faults.push(`a token was accepted: ${what}`)
        }
      const exp = Math.floor(Date.now() / 1000) + 3600
      const genuine = await status(node, signedToken(privateKey, { permissions: ['eth:*'], exp }))
      if (genuine !== 200) faults.push(`a genuine token was answered with ${genuine}`)
      say(`${tokens.length} forgeries, ${REPETITIONS} times each`)
    } finally {
      await node.kill()
    }
    return [...new Set(faults)]
  },
}
