import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'
import { genesisText, testKey } from './genesis.ts'
import { runHere } from './commandLine.ts'
import {
  isInstalled,
  PROCESS_TEST_TIMEOUT_MS,
  runCommand,
  type RuntimeName,
  startNode,
} from './nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const HUGE_BYTES = 100 * 1024 * 1024

/** A format: the options that name a file of it, or the command that reads one, and the beginning of a right one. */
type Format = {
  readonly what: string
  readonly options: (path: string, genesis: string) => readonly string[]
  readonly half: string
  /** Another command than the node, with its further arguments. */
  readonly command?: readonly string[]
  /** The content is not looked at before it is used. */
  readonly isOpaque?: boolean
}

const jwt = ['--rpc-http-enabled', '--rpc-http-authentication-enabled']

const FORMATS: readonly Format[] = [
  {
    what: 'configuration',
    options: path => [`--config-file=${path}`],
    half: 'p2p-port = 303\nrpc-http-api = ["ETH"',
  },
  {
    what: 'genesis',
    options: path => [`--genesis-file=${path}`],
    half: genesisText().slice(0, 300),
  },
  {
    what: 'permissions of accounts',
    options: path => [
      '--permissions-accounts-config-file-enabled',
      `--permissions-accounts-config-file=${path}`,
    ],
    half: 'accounts-allowlist=["0xfe3b557e8fb62b89f4916b7',
  },
  {
    what: 'permissions of nodes',
    options: path => ['--permissions-nodes-config-file-enabled', `--permissions-nodes-config-file=${path}`],
    half: 'nodes-allowlist=["enode://6f8a80',
  },
  { what: 'key', options: path => [`--node-private-key-file=${path}`], half: '0x8f2a5594' },
  {
    what: 'key set',
    options: path => [...jwt, `--rpc-http-authentication-jwks=${path}`],
    half: '{"keys":[{"kty":"EC"',
  },
  {
    what: 'public key',
    options: path => [...jwt, `--rpc-http-authentication-jwt-public-key-file=${path}`],
    half: '-----BEGIN PUBLIC KEY-----\nMFkw',
  },
  {
    what: 'credentials',
    options: path => [...jwt, `--rpc-http-authentication-credentials-file=${path}`],
    half: '[Users.alice]\npassword = "$2a$10$l3GA',
  },
  {
    what: 'static nodes',
    options: (path, genesis) => [`--genesis-file=${genesis}`, `--static-nodes-file=${path}`],
    half: '["enode://6f8a80d14311c39f35f516fa664deaaaa13e85b2f7493f37f6144d86991ec0',
  },
  {
    what: 'certificate',
    options: path => [
      '--rpc-http-enabled',
      '--rpc-http-tls-enabled',
      `--rpc-http-tls-cert-file=${path}`,
      `--rpc-http-tls-key-file=${path}`,
    ],
    half: '-----BEGIN CERTIFICATE-----\nMIIB',
  },
  {
    what: 'certificate store',
    options: path => [
      '--rpc-http-enabled',
      '--rpc-http-tls-enabled',
      `--rpc-http-tls-keystore-file=${path}`,
      `--rpc-http-tls-keystore-password-file=${path}`,
    ],
    half: '0\u0082',
  },
  {
    what: 'encrypted key',
    options: (path, genesis) => [
      `--genesis-file=${genesis}`,
      '--security-module=keystore',
      `--keystore-file=${path}`,
    ],
    half: '{"version":4,"crypto":{"kdf"',
  },
  {
    what: 'password',
    options: (path, genesis) => [
      `--genesis-file=${genesis}`,
      '--security-module=keystore',
      `--keystore-file=${genesis}.keystore`,
      `--keystore-password-file=${path}`,
    ],
    half: '',
    isOpaque: true,
  },
  {
    what: 'authorities of a remote signer',
    options: (path, genesis) => [
      `--genesis-file=${genesis}`,
      '--security-module=remote',
      '--remote-signer-urls=https://127.0.0.1:1',
      `--remote-signer-ca-file=${path}`,
    ],
    half: '',
    isOpaque: true,
  },
  {
    what: 'key that signs tokens',
    command: ['token', 'mint', '--permissions=eth:*', '--expires=1h'],
    options: path => [`--key=${path}`],
    half: '-----BEGIN PRIVATE KEY-----\nMFkw',
  },
  {
    what: 'list of validators to encode',
    command: ['rlp', 'encode', '--type=QBFT_EXTRA_DATA'],
    options: path => [`--from=${path}`],
    half: '["0xfe3b557e8f',
    // The mistake in a list does not need its name.
    isOpaque: true,
  },
  {
    what: 'token',
    command: ['doctor', '--url=http://127.0.0.1:1'],
    options: path => [`--token-file=${path}`],
    half: 'two words',
  },
  {
    what: 'encrypted key to export',
    command: ['keys', 'export', '--to=nowhere'],
    options: path => [`--keystore-file=${path}`, `--keystore-password-file=${path}`],
    half: '{"version":3,"crypto":{"kdf"',
  },
]

/** What is there in place of a right file; `make` returns the path to give. `isLooked`: only its content is wrong. */
type Kind = readonly [what: string, make: (folder: string, format: Format) => string, isLooked?: true]

const KINDS: readonly Kind[] = [
  ['a folder', folder => folder],
  [
    'half a file',
    (folder, { half }) => {
      writeFileSync(join(folder, 'half'), half, { mode: 0o600 })
      return join(folder, 'half')
    },
    true,
  ],
  [
    'random bytes',
    folder => {
      writeFileSync(join(folder, 'random'), crypto.getRandomValues(new Uint8Array(4096)), { mode: 0o600 })
      return join(folder, 'random')
    },
    true,
  ],
  [
    'a file of 100 MB',
    folder => {
      writeFileSync(join(folder, 'huge'), '', { mode: 0o600 })
      truncateSync(join(folder, 'huge'), HUGE_BYTES)
      return join(folder, 'huge')
    },
  ],
  ['a device without an end', () => '/dev/zero'],
]

describe('given a file that cannot be used', () => {
  let parent = ''
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'quorate-hostile-'))
    const at = (file: string): string => join(parent, file)
    writeFileSync(at('genesis.json'), genesisText())
    writeFileSync(at('key'), toHex(testKey(1)), { mode: 0o600 })
    writeFileSync(at('password'), 'right', { mode: 0o600 })
    const args = [
      `--from=${at('key')}`,
      `--keystore-file=${at('genesis.json.keystore')}`,
      `--keystore-password-file=${at('password')}`,
    ]
    expect((await runHere(['keys', 'import', ...args])).code).toBe(0)
  })
  afterAll(() => rmSync(parent, { recursive: true, force: true }))

  independent(
    'when the log is to be written to a folder or a full disk, then one sentence says so',
    async () => {
      const folder = join(parent, 'log')
      mkdirSync(folder)
      const { code, error } = await runHere([`--data-path=${join(folder, 'data')}`, `--log-file=${folder}`])
      expect(error.trim()).toBe(`Cannot write the log to ${folder}: it is a folder. Give another --log-file.`)
      expect([code, readdirSync(folder)]).toEqual([1, []])
      // The node goes on without its log.
      const node = await startNode(join(parent, 'full'), ['--log-file=/dev/full'])
      expect(await node.rpc<string>('eth_chainId')).toBe('0x539')
      await until(() => node.output().includes('The log cannot be written to /dev/full: '))
      expect(await node.stop()).toBe(0)
    },
  )

  const runtimes = (['bun', 'node', 'deno'] as const satisfies readonly RuntimeName[]).filter(isInstalled)
  independent(
    'when it is a pipe, then its content counts, and one without a writer ends in a sentence on each runtime',
    async () => {
      const check = async (runtime: RuntimeName) => {
        const path = join(parent, `${runtime}.pipe`)
        spawnSync('mkfifo', [path])
        const silent = await runCommand(['genesis', 'check', path], { runtime })
        expect([silent.code, silent.out]).toEqual([
          1,
          expect.stringContaining('it is a pipe into which nothing was written for 5 s'),
        ])
        const writer = spawn('sh', ['-c', `sleep 0.2; cat ${join(parent, 'genesis.json')} > ${path}`])
        const { code, out } = await runCommand(['genesis', 'check', path], { runtime })
        writer.kill()
        expect([code, out]).toEqual([0, expect.stringContaining('well')])
      }
      await Promise.all(runtimes.map(check))
    },
  )

  for (const [number, format] of FORMATS.entries())
    test(`when it is in place of the ${format.what}, then one sentence names it, and nothing is written`, async () => {
      for (const [what, make, isLooked] of KINDS) {
        if (format.isOpaque === true && isLooked) continue
        const folder = join(parent, `${number}-${what.replaceAll(' ', '-')}`)
        const data = join(folder, 'data')
        mkdirSync(folder)
        const path = make(folder, format)
        const before = readdirSync(folder)
        const { code, error, out } = await runHere([
          ...(format.command ?? [`--data-path=${data}`]),
          ...format.options(path, join(parent, 'genesis.json')),
        ])
        const [line = '', ...more] = error.trim().split('\n')
        // The help is named behind a mistake of the command line.
        expect([what, more.filter(each => !/^$|^To display|^bun run node/.test(each))]).toEqual([what, []])
        expect([what, line]).toEqual([what, expect.stringContaining(path)])
        expect([what, line.length < 600]).toEqual([what, true])
        expect([what, code === 1 || code === 2]).toEqual([what, true])
        expect(out).toBe('')
        expect(readdirSync(folder)).toEqual(before)
      }
    })
})
