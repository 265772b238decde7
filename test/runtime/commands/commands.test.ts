import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runHere as run } from '../commandLine.ts'
import { withFolder } from '../folder.ts'

const HELP = /\nTo display full help:\nbun run node \S.* --help\n$/

describe('given a command line that cannot be followed', () => {
  const refused: readonly (readonly [args: readonly string[], text: string])[] = [
    [['--rpc-http-prot=1'], "Unknown option: '--rpc-http-prot'. Did you mean --rpc-http-port?"],
    [['blocks'], "Missing or unknown subcommand of 'blocks': there are blocks import and blocks export"],
    [
      ['blocks', 'imprt'],
      "Missing or unknown subcommand of 'blocks': there are blocks import and blocks export",
    ],
    [['block', 'import'], "Unmatched argument: 'block import'. Did you mean blocks?"],
    [
      ['storage', 'trie-log'],
      "Command 'storage' is refused: it works on Besu's database, which this node does not read. 'quorate migrate' takes a chain over from Besu",
    ],
    [['storage'], "Missing or unknown subcommand of 'storage': there are storage report and storage check"],
    [['public-key', 'export', 'extra'], "Unmatched argument: 'extra'"],
    [
      ['--to=x'],
      "Option '--to' is not one of the node, it belongs to 'operator generate-blockchain-config', 'blocks export', 'snapshot create', 'public-key export', 'public-key export-address', 'keys export', 'rlp encode', 'rlp decode', 'metrics dashboard', 'metrics alerts'",
    ],
    [['blocks', 'import'], 'No files specified to import: give --from=FILE'],
    [
      ['blocks', 'import', '--run', '--from=x'],
      "Option '--run' is refused: blocks are imported from RLP files and checked in full. Remove it.",
    ],
    [['blocks', 'export'], "Missing required option: '--to=<PATH>'"],
    [['validate-config'], "Missing required option: '--config-file=<PATH>'"],
  ]
  test.each(refused)('when it is %p, then it ends with code 2 and says %s', async (args, text) => {
    const { code, out, error } = await run(args)
    expect({ code, out, error: error.replace(HELP, '') }).toEqual({ code: 2, out: '', error: `${text}\n` })
  })
})

describe('given --help', () => {
  test('when it is the node’s, then it lists every option in groups, the commands and examples', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const part of [
      'JSON-RPC over HTTP:',
      '--rpc-http-port=<PORT>',
      '[default: 8545]',
      '-l, --logging',
      'blocks import',
      'Examples:',
      'QUORATE_RPC_HTTP_PORT',
    ])
      expect(out).toContain(part)
    expect(out.split('\n').filter(line => line.length > 100)).toEqual([])
  })

  test('when it is a command’s, then it lists that command’s options', async () => {
    const { out } = await run(['blocks', 'export', '-h'])
    expect(out).toContain('Usage: bun run node blocks export [OPTIONS]')
    expect(out).toContain('--end-block')
    expect(out).not.toContain('--rpc-http-port')
  })

  test.each(['storage', 'snapshot'])(
    'when it follows the first word of the %s commands, then it lists them',
    async word => {
      const { code, out, error } = await run([word, '--help'])
      expect([code, error]).toEqual([0, ''])
      expect(out).toStartWith(`Usage: bun run node ${word} COMMAND [OPTIONS]`)
      for (const name of ['report', 'check', 'create', 'restore'])
        expect(out.includes(`  ${word} ${name} `)).toBe(
          (word === 'storage') === (name === 'report' || name === 'check'),
        )
    },
  )

  test.each(['read', 'snapshot restore'])('when %s requires an option, then its help says so', async name => {
    const { out } = await run([...name.split(' '), '--help'])
    for (const option of ['from', 'genesis-file'])
      expect(out.replace(/\s+/g, ' ')).toMatch(new RegExp(`--${option}=<\\w+> [^[]*\\[default: required\\]`))
    expect(out).not.toMatch(/development chain (?:runs|in the data path)/)
  })
})

describe('given --version', () => {
  test('when it is asked, then it prints name and version', async () => {
    expect((await run(['--version'])).out).toMatch(/^quorate\/v\d+\.\d+\.\d+\n$/)
  })
})

describe('given public-key', () => {
  // secp256k1's generator point, and its address.
  const KEY = `0x${'0'.repeat(63)}1`
  const PUBLIC_KEY =
    '0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'

  test('given a key file, then it prints what belongs to it, or writes it', () =>
    withFolder(async folder => {
      const file = join(folder, 'k')
      writeFileSync(file, `${KEY.slice(2)}\n`)
      expect((await run(['public-key', 'export', `--node-private-key-file=${file}`])).out).toBe(
        `${PUBLIC_KEY}\n`,
      )
      expect((await run(['public-key', 'export-address', `--node-private-key-file=${file}`])).out).toBe(
        '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf\n',
      )
      const out = join(folder, 'out')
      const written = await run(['public-key', 'export', `--node-private-key-file=${file}`, `--to=${out}`])
      expect(written).toEqual({ code: 0, out: '', error: `Wrote ${out}\n` })
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(PUBLIC_KEY)
    }))

  test('given none, then the data path gets one in Besu’s form, for its owner alone', () =>
    withFolder(async folder => {
      const first = await run(['public-key', 'export-address', `--data-path=${folder}`])
      expect(first.error).toBe(`Created the node key ${join(folder, 'key')}\n`)
      expect(readFileSync(join(folder, 'key'), 'utf8')).toMatch(/^0x[0-9a-f]{64}$/)
      expect(statSync(join(folder, 'key')).mode & 0o777).toBe(0o600)
      const second = await run(['public-key', 'export-address', `--data-path=${folder}`])
      expect(second).toEqual({ ...first, error: '' })
    }))

  const bad: readonly (readonly [content: string, reason: string])[] = [
    ['', 'its content is not 32 bytes of hex'],
    ['0x12', 'its content is not 32 bytes of hex'],
    ['zz'.repeat(32), 'its content is not 32 bytes of hex'],
    [`${KEY}\n${KEY}`, 'Supplied file does not contain valid keyPair pair'],
    [`0x${'0'.repeat(64)}`, 'the number is not a private key of secp256k1'],
    [`0x${'f'.repeat(64)}`, 'the number is not a private key of secp256k1'],
    ['x'.repeat(5000), 'it is longer than 4096 bytes'],
  ]
  test.each(bad)('given a key file that holds %p, then it fails with one line', (content, reason) =>
    withFolder(async folder => {
      const file = join(folder, 'k')
      writeFileSync(file, content)
      const { code, out, error } = await run(['public-key', 'export', `--node-private-key-file=${file}`])
      expect([code, out]).toEqual([1, ''])
      expect(error).toStartWith(`Private key cannot be loaded from file ${file}: ${reason}`)
      expect(error.trimEnd()).not.toContain('\n')
    }),
  )

  test('given the name of no file, then Besu’s text says so', async () => {
    const { code, error } = await run(['public-key', 'export', '--node-private-key-file=nowhere/k'])
    expect([code, error]).toEqual([1, "Private key file doesn't exist: nowhere/k\n"])
  })
})

describe('given rlp', () => {
  test('when no type is given, then it is that of IBFT 2.0, as in Besu', async () => {
    const encoded = (await run(['rlp', 'encode'], JSON.stringify(ADDRESSES))).out
    expect(encoded.trim().endsWith('808400000000c0')).toBe(true)
    expect((await run(['rlp', 'decode'], encoded)).out).toBe(`[${ADDRESSES.join(', ')}]\n`)
  })

  const ADDRESSES = [
    '0x4592c8e45706cc08b8f44b11e43cba0cfc5892cb',
    '0x06e23768a0f59cf365e18c2e0c89e151bcdedc70',
  ]
  const EXTRA_DATA = `0xf84fa0${'00'.repeat(32)}ea94${ADDRESSES.map(address => address.slice(2)).join('94')}c080c0`

  test('when it encodes and decodes, then the extraData of a genesis file comes and goes, by files or standard input', () =>
    withFolder(async folder => {
      const type = '--type=QBFT_EXTRA_DATA'
      expect((await run(['rlp', 'encode', type], JSON.stringify(ADDRESSES))).out).toBe(`${EXTRA_DATA}\n`)
      expect((await run(['rlp', 'decode', type], `${EXTRA_DATA}\n`)).out).toBe(`[${ADDRESSES.join(', ')}]\n`)
      const file = join(folder, 'in')
      writeFileSync(file, JSON.stringify(ADDRESSES))
      await run(['rlp', 'encode', type, `--from=${file}`, `--to=${join(folder, 'out')}`])
      expect(readFileSync(join(folder, 'out'), 'utf8')).toBe(EXTRA_DATA)
    }))

  test('given a file that is longer than any set of validators, then it is not read', () =>
    withFolder(async folder => {
      const type = '--type=QBFT_EXTRA_DATA'
      const file = join(folder, 'in')
      writeFileSync(file, ' '.repeat(1024 * 1024 + 1))
      expect(await run(['rlp', 'encode', type, `--from=${file}`])).toEqual({
        code: 1,
        out: '',
        error: `Cannot read ${file}: it is longer than 1048576 bytes\n`,
      })
    }))

  const bad: readonly (readonly [command: string, input: string, text: string])[] = [
    ['encode', '[', 'The input is not JSON: an array of validator addresses is expected'],
    ['encode', '{}', 'The input must be a JSON array of validator addresses'],
    ['encode', '["0x1"]', '"0x1" is not an address of 20 bytes of hex'],
    ['decode', 'hello', 'The first line of the input is not hex: the extraData of a block is expected'],
    ['decode', '0xc0', 'extraData: 5 fields expected, not 0'],
  ]
  test.each(bad)('when %s gets %p, then it fails with one line', async (command, input, text) => {
    expect(await run(['rlp', command, '--type=QBFT_EXTRA_DATA'], input)).toEqual({
      code: 1,
      out: '',
      error: `${text}\n`,
    })
  })
})

describe('given an unforeseen error', () => {
  test('when a command fails with it, then it is printed whole', async () => {
    const { code, error } = await run(['rlp', 'encode', '--type=QBFT_EXTRA_DATA'], new TypeError('a slip'))
    expect(code).toBe(1)
    expect(error).toStartWith('TypeError: a slip\n')
    expect(error).not.toContain('--logging=DEBUG')
  })
})

describe('given validate-config', () => {
  test('when a file is checked, then the answer is valid, or what is not', () =>
    withFolder(async folder => {
      const file = join(folder, 'c.toml')
      writeFileSync(file, 'rpc-http-port = 1')
      expect((await run(['validate-config', `--config-file=${file}`])).out).toStartWith(
        'TOML config file is valid on basic inspection.',
      )
      writeFileSync(file, 'rpc-http-prot = 1')
      expect(await run(['validate-config', `--config-file=${file}`])).toMatchObject({ code: 2, out: '' })
    }))
})
