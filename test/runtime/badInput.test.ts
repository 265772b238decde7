import { describe, expect } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolder } from './folder.ts'
import { genesisText, writeNetwork } from './genesis.ts'
import { type CommandResult, runCommand, startNode } from './nodeProcess.ts'
import { independent as test } from '../support/scenario.ts'

/** One line that says what is wrong, and for a wrong command line where the help is; never a stack. */
const expectOneLine = (
  { code, error, out }: CommandResult,
  exitCode: 1 | 2,
  text: string | RegExp,
  hasHelp = exitCode === 2,
): void => {
  const [line, ...rest] = error.trimEnd().split('\n')
  expect(line).toMatch(text)
  expect(rest).toEqual(hasHelp ? ['', 'To display full help:', 'bun run node [COMMAND] --help'] : [])
  expect(code).toBe(exitCode)
  expect(out).toBe('')
}

const RPC = ['--rpc-http-enabled', '--rpc-http-port=0']

describe('given a genesis file that cannot be used', () => {
  const files: readonly (readonly [what: string, text: string | undefined, message: RegExp])[] = [
    ['is missing', undefined, /^Unable to load genesis file: .*network\.json: there is no such file\./],
    ['is no JSON', '{ "config": ', /^Unable to load genesis file: .*network\.json: /],
    [
      'has no consensus',
      '{"config":{},"difficulty":"0x1","gasLimit":"0x1"}',
      /Unknown consensus mechanism defined/,
    ],
    [
      'lacks its gas limit',
      genesisText({ top: { gasLimit: undefined } }),
      /missing value for one of '\[gasLimit, gasTarget\]'/,
    ],
    [
      'gives a text for a block number',
      genesisText({ config: { londonBlock: '0' } }),
      /londonBlock: Expected number value but got string/i,
    ],
    [
      'contradicts itself',
      genesisText({ config: { zeroBaseFee: true, fixedBaseFee: true } }),
      /zeroBaseFee and fixedBaseFee exclude each other/,
    ],
    [
      'has a broken extraData',
      genesisText({ top: { extraData: '0xc0' } }),
      /Invalid extraData in genesis block configuration/,
    ],
  ]
  test.each(files)('when it %s, then the node does not start and writes nothing', (_what, text, message) =>
    withFolder(async folder => {
      const file = join(folder, 'network.json')
      if (text !== undefined) writeFileSync(file, text)
      const dataPath = join(folder, 'data')
      const result = await runCommand([`--genesis-file=${file}`, `--data-path=${dataPath}`, ...RPC])
      expectOneLine(result, 2, message, false)
      expect(existsSync(dataPath)).toBe(false)
    }),
  )
})

describe('given a bad key file', () => {
  test('then the node does not start, and the file stays as it was', () =>
    withFolder(async folder => {
      const file = join(folder, 'key')
      writeFileSync(file, 'not a key')
      expectOneLine(
        await runCommand([`--data-path=${folder}`, ...RPC]),
        2,
        /^Private key cannot be loaded from file .*key: /,
        false,
      )
      expect(readFileSync(file, 'utf8')).toBe('not a key')
      expect(readdirSync(folder)).toEqual(['key'])
    }))
})

describe('given a port that another process listens on', () => {
  test('then Besu’s text says so and nothing is written', () =>
    withFolder(async folder => {
      const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
      const dataPath = join(folder, 'data')
      try {
        expectOneLine(
          await runCommand([`--data-path=${dataPath}`, `--rpc-http-port=${other.port}`]),
          1,
          `Port(s) '[${other.port}]' already in use. Check for other processes using the port(s), or give another port with --rpc-http-port.`,
        )
      } finally {
        await other.stop(true)
      }
      expect(existsSync(dataPath)).toBe(false)
    }))

  test('when its address is not one of this machine, then the message names it', () =>
    withFolder(async folder => {
      const result = await runCommand([
        `--data-path=${join(folder, 'data')}`,
        '--rpc-http-port=0',
        '--rpc-http-host=203.0.113.1',
      ])
      expectOneLine(result, 1, /^Cannot listen on 203\.0\.113\.1:0: /)
    }))
})

describe('given a data path', () => {
  test('when it is a file, then the message says so', () =>
    withFolder(async folder => {
      const file = join(folder, 'data')
      writeFileSync(file, '')
      expectOneLine(
        await runCommand([`--data-path=${file}`, ...RPC]),
        2,
        /^Private key cannot be loaded from file .*data\/key: its folder is a file\. /,
        false,
      )
    }))

  test('when a network of several nodes cannot write to it, then the message says so', () =>
    withFolder(async folder => {
      const file = join(folder, 'network')
      writeFileSync(file, '')
      const ports = ['--rpc-http-port=0', '--p2p-port=0']
      expectOneLine(
        await runCommand(['network', '--data-path=/proc/network', ...ports]),
        1,
        /^Private key cannot be written to file \/proc\/network\/validator1\/key: /,
      )
      expectOneLine(
        await runCommand(['network', `--data-path=${file}`, ...ports]),
        1,
        /^Private key cannot be loaded from file .*its folder is a file/,
      )
    }))

  test('when another node uses it, then the second does not start and the first goes on', () =>
    withFolder(async folder => {
      const node = await startNode(folder)
      try {
        expectOneLine(
          await runCommand([`--data-path=${folder}`, '--rpc-http-port=0']),
          1,
          /is in use by another node/,
        )
        expect(await node.rpc('eth_chainId')).toBe('0x539')
      } finally {
        await node.stop()
      }
    }))

  test('when it holds another chain, then both genesis blocks are named and nothing is lost', () =>
    withFolder(async folder => {
      const dataPath = join(folder, 'data')
      mkdirSync(join(folder, 'other'))
      const one = writeNetwork(folder)
      const other = writeNetwork(join(folder, 'other'), { config: { chainId: 1 }, top: { timestamp: '0x1' } })
      const node = await startNode(dataPath, ['--rpc-http-enabled', ...one])
      const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)
      await node.stop()

      const result = await runCommand([`--data-path=${dataPath}`, ...RPC, ...other])
      expectOneLine(
        result,
        1,
        new RegExp(
          `the data path contains the chain of genesis block ${hash}, but the genesis file is of 0x[0-9a-f]{64}`,
        ),
      )
      expectOneLine(
        await runCommand([`--data-path=${dataPath}`, ...RPC]),
        1,
        `holds the chain of genesis block ${hash}, which is not a development chain`,
      )

      const again = await startNode(dataPath, ['--rpc-http-enabled', ...one])
      expect((await again.rpc<{ hash: string }>('eth_getBlockByNumber', '0x0', false)).hash).toBe(hash)
      await again.stop()
    }))
})

describe('given options that contradict each other or the network', () => {
  const cases: readonly (readonly [args: readonly string[], text: string])[] = [
    [['--rpc-http-prot=1'], "Unknown option: '--rpc-http-prot'. Did you mean --rpc-http-port?"],
    [
      ['--tx-pool-min-gas-price=2', '--min-gas-price=1'],
      '--tx-pool-min-gas-price (2) must not be above --min-gas-price (1)',
    ],
    [['--tx-pool-price-bump=10'], 'Price bump option is not compatible with zero base fee market'],
    [['--storage=nothing'], 'nothing'],
  ]
  test.each(cases)('when it is %p, then it ends with code 2', (args, text) =>
    withFolder(async folder => {
      const network = writeNetwork(folder, { config: { zeroBaseFee: true } })
      expectOneLine(await runCommand([`--data-path=${join(folder, 'data')}`, ...network, ...args]), 2, text)
    }),
  )
})

describe('given a chain that does not exist', () => {
  test.each([
    ['export', '--to=blocks'],
    ['import', '--from=README.md'],
  ])('then blocks %s says what to give', (command, file) =>
    withFolder(async folder => {
      const result = await runCommand(['blocks', command, file, `--data-path=${folder}`])
      expectOneLine(result, 1, /^There is no development chain in .*: give the --genesis-file of the network/)
      expect(readdirSync(folder)).toEqual([])
    }),
  )
})
