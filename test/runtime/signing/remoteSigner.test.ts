import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sealSigner } from '../../../core/block/codec/seal.ts'
import { keccak256, publicKeyOf } from '../../../core/crypto/crypto.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import { createSignerAgent } from '../../../runtime/signing/remote/httpsRequest.ts'
import { createRemoteSigner, findPublicKey } from '../../../runtime/signing/remote/remoteSigner.ts'
import type { SignerEndpoint } from '../../../runtime/signing/remote/web3signer.ts'
import {
  type Authority,
  type Certificate,
  CLIENT_EXTENSION,
  createAuthority,
  HAS_OPENSSL,
  SERVER_EXTENSION,
} from '../../support/programs/certificates.ts'
import { testAddress, testKey } from '../genesis.ts'
import { honest, type SignerServer, signature, startSigner } from './signerServer.ts'

const DATA = new TextEncoder().encode('the bytes of a message')
const DIGEST = keccak256(DATA)
/** A curve point whose address is another. */
const OTHER = testKey(2)

let folder: string
let authority: Authority
let client: Certificate
let server: SignerServer
let lines: string[]
let clockMs = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-signer-'))
  if (!HAS_OPENSSL) return
  authority = createAuthority(folder, 'signers')
  client = authority.issue('client', CLIENT_EXTENSION)
  server = await startSigner(testKey(1), authority.issue('signer', SERVER_EXTENSION), authority)
})
afterAll(async () => {
  if (HAS_OPENSSL) await server.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  lines = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  server.behaviour = honest(testKey(1))
})

/** A busy machine answers within it. */
const PATIENT_MS = 20_000
const SILENT = 'is silent'
const SILENT_MS = 1_000

const endpoint = (
  url = server.url,
  change: Partial<SignerEndpoint['tls']> = {},
  timeoutMs = PATIENT_MS,
): SignerEndpoint => ({
  url: new URL(url),
  agent: createSignerAgent(),
  tls: {
    ca: readFileSync(authority.cert, 'utf8'),
    cert: readFileSync(client.cert, 'utf8'),
    key: readFileSync(client.key, 'utf8'),
    ...change,
  },
  timeoutMs,
})

const signerAt = (...endpoints: readonly SignerEndpoint[]) =>
  createRemoteSigner({
    endpoints,
    publicKey: publicKeyOf(testKey(1)),
    log: logOf('signer'),
    nowMs: () => clockMs,
  })

const signWith = async (signer: ReturnType<typeof signerAt>) => signer.sign(DIGEST, () => DATA)

describe.skipIf(!HAS_OPENSSL)('given a signer over HTTPS with client certificates', () => {
  test('when it signs, then the seal is that of the validator', async () => {
    const seal = await signWith(signerAt(endpoint()))
    expect(sealSigner(DIGEST, seal)).toEqual(testAddress(1))
    expect(await findPublicKey([endpoint()])).toEqual(publicKeyOf(testKey(1)))
  })

  test('when this node has no client certificate, then there is no signature', () => {
    const without = endpoint(server.url, { cert: undefined, key: undefined })
    expect(signWith(signerAt(without))).rejects.toThrow(server.url)
  })

  test('when its certificate is of another authority, then there is no signature', () => {
    const other = createAuthority(folder, 'others')
    const signer = signerAt(endpoint(server.url, { ca: readFileSync(other.cert, 'utf8') }))
    expect(signWith(signer)).rejects.toThrow(server.url)
  })

  test('when the first of two is away, then the second signs', async () => {
    const signer = signerAt(endpoint('https://127.0.0.1:1'), endpoint())
    expect(sealSigner(DIGEST, await signWith(signer))).toEqual(testAddress(1))
    expect(lines).toEqual([])
  })

  test.each<readonly [string, SignerServer['behaviour'], string]>([
    ['signs with another key', data => ({ status: 200, text: signature(OTHER, data) }), 'is not that of'],
    [
      'signs other bytes',
      () => ({ status: 200, text: signature(testKey(1), Uint8Array.of(1)) }),
      'is not that of',
    ],
    ['answers with zeros', () => ({ status: 200, text: `0x${'00'.repeat(64)}1b` }), 'is not that of'],
    ['answers with no signature', () => ({ status: 200, text: 'ok' }), 'not a signature of 65 bytes'],
    ['answers without end', () => ({ status: 200, text: 'x'.repeat(5000) }), 'longer than'],
    ['does not know the key', () => ({ status: 404, text: '' }), 'status 404'],
    [SILENT, () => undefined, `within ${SILENT_MS} ms`],
  ])('when it %s, then there is no signature, and one sentence says so', async (what, behaviour, reason) => {
    server.behaviour = behaviour
    const signer = signerAt(endpoint(server.url, {}, what === SILENT ? SILENT_MS : PATIENT_MS))
    expect(signWith(signer)).rejects.toThrow(reason)
    await Promise.resolve(signWith(signer)).catch(() => undefined)
    // It is not asked again at once.
    const before = server.asked.length
    expect(signWith(signer)).rejects.toThrow(reason)
    expect(server.asked.length).toBe(before)
    clockMs += 2001
    await signWith(signer).catch(() => undefined)
    expect(lines.filter(line => line.includes('gave no signature'))).toHaveLength(1)
    server.behaviour = honest(testKey(1))
    clockMs += 2001
    expect(sealSigner(DIGEST, await signWith(signer))).toEqual(testAddress(1))
    expect(lines.filter(line => line.includes('answers again'))).toHaveLength(1)
  })
})
