import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../../../../runtime/cli/sources/arguments.ts'
import { NODE_OPTIONS } from '../../../../runtime/cli/nodeOptions.ts'
import { resolveAll } from '../../../../runtime/cli/sources/resolve.ts'
import { checkOptions } from '../../../../runtime/node/checkOptions.ts'
import { expiringCertificates } from '../../../../runtime/node/servers/tls.ts'
import {
  type Authority,
  createAuthority,
  HAS_OPENSSL,
  SERVER_EXTENSION,
} from '../../../support/programs/certificates.ts'

let folder = ''
let authority: Authority
const at = (name: string): string => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-tls-'))
  if (HAS_OPENSSL) authority = createAuthority(folder, 'ours')
})
afterAll(() => rmSync(folder, { recursive: true }))

const optionsOf = (args: readonly string[]) =>
  resolveAll(NODE_OPTIONS, readArguments(args, NODE_OPTIONS), {}).values
/** The first sentence that refuses the options. */
const refusal = async (...args: readonly string[]): Promise<string | undefined> =>
  (await checkOptions(optionsOf(args)))[0]?.message

describe.skipIf(!HAS_OPENSSL)('given options of TLS', () => {
  test('when there is no certificate, then it is said which options give one', async () => {
    expect(await refusal('--rpc-http-tls-enabled')).toBe(
      '--rpc-http-tls-enabled needs a certificate for JSON-RPC over HTTP: give --rpc-http-tls-cert-file and --rpc-http-tls-key-file (PEM), or --rpc-http-tls-keystore-file and --rpc-http-tls-keystore-password-file (PKCS#12)',
    )
  })

  test('when clients need certificates, then their authority must be named', async () => {
    const { cert, key } = authority.issue('a', SERVER_EXTENSION)
    expect(
      await refusal(
        '--graphql-tls-enabled',
        `--graphql-tls-cert-file=${cert}`,
        `--graphql-tls-key-file=${key}`,
        '--graphql-mtls-enabled',
      ),
    ).toStartWith('--graphql-mtls-enabled needs --graphql-tls-trustcert-file')
  })

  test('when a file is missing, is too long, is no PEM, or the key is of another certificate, then a sentence says so', async () => {
    const { cert, key } = authority.issue('b', SERVER_EXTENSION)
    const other = authority.issue('c', SERVER_EXTENSION)
    writeFileSync(at('none'), 'nothing of that kind')
    writeFileSync(at('long'), new Uint8Array(2 ** 20 + 1))
    writeFileSync(at('half'), '-----BEGIN CERTIFICATE-----\nMIIB')
    const told = (certFile: string, keyFile: string): Promise<string | undefined> =>
      refusal(
        '--rpc-ws-ssl-enabled',
        `--rpc-ws-ssl-cert-file=${certFile}`,
        `--rpc-ws-ssl-key-file=${keyFile}`,
      )
    expect(await told(cert, key)).toBeUndefined()
    expect(await told(at('missing'), key)).toBe(
      `--rpc-ws-ssl-cert-file: ${at('missing')} cannot be read: there is no such file`,
    )
    expect(await told(at('long'), key)).toContain('it is longer than 1048576 bytes')
    expect(await told(at('none'), key)).toContain('is not a PEM file of certificates')
    expect(await told(at('half'), key)).toContain('is not a PEM file of certificates')
    expect(await told(cert, at('none'))).toContain('is not a PEM file of a private key')
    expect(await told(cert, other.key)).toContain('is not the key of the first certificate in')
  })

  test('when a PKCS#12 file has another password, or is none, then it is said how to convert a JKS store', async () => {
    const store = authority.pack('d', authority.issue('d', SERVER_EXTENSION), 'right')
    writeFileSync(at('wrong'), 'wrong')
    writeFileSync(at('right'), 'right\n')
    const told = (file: string, password: string): Promise<string | undefined> =>
      refusal(
        '--rpc-http-tls-enabled',
        `--rpc-http-tls-keystore-file=${file}`,
        `--rpc-http-tls-keystore-password-file=${password}`,
      )
    expect(await told(store, at('right'))).toBeUndefined()
    expect(await told(store, at('wrong'))).toContain('is not a PKCS#12 file with that password')
    expect(await told(at('right'), at('right'))).toContain('keytool -importkeystore')
  })

  test('when a certificate has ended or ends soon, then a sentence says when', () => {
    const warnings = (days: number): readonly string[] => {
      const { cert, key } = authority.issue(`days${days}`, SERVER_EXTENSION, days)
      const args = ['--rpc-http-tls-enabled', `--rpc-http-tls-cert-file=${cert}`]
      return expiringCertificates(optionsOf([...args, `--rpc-http-tls-key-file=${key}`]), Date.now())
    }
    expect(warnings(90)).toEqual([])
    expect(warnings(2)[0]).toContain(' expires at ')
    expect(warnings(-1)[0]).toContain(' expired at ')
  })
})
