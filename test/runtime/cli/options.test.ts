import { resolveNodeOptions as resolve } from '../nodeOptions.ts'
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ignoredOptions } from '../../../runtime/cli/ignored.ts'
import { NODE_OPTIONS } from '../../../runtime/cli/nodeOptions.ts'
import { type Environment, unknownVariables, variableHint } from '../../../runtime/cli/sources/resolve.ts'
import { withFolder } from '../folder.ts'

const values = (args: readonly string[], environment: Environment = {}) => resolve(args, environment).values

const message = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was thrown')
}

describe('given a command line', () => {
  test('then every form of a value is read', () => {
    expect(
      values(['--rpc-http-port=1', '-l', 'debug', '--data-path', 'd', '--rpc-http-enabled']),
    ).toMatchObject({
      rpcHttpPort: 1,
      logging: 'DEBUG',
      dataPath: 'd',
      rpcHttpEnabled: true,
    })
  })

  test('then booleans are flags, or say their value behind = or a space', () => {
    expect(values(['--rpc-http-enabled=false']).rpcHttpEnabled).toBe(false)
    expect(values(['--rpc-http-enabled', 'FALSE']).rpcHttpEnabled).toBe(false)
    expect(values(['--rpc-http-enabled']).rpcHttpEnabled).toBe(true)
    expect(values([]).rpcHttpEnabled).toBeUndefined()
  })

  test('then --revert-reason-enabled is true, and false where it says so', () => {
    expect(values([]).revertReasonEnabled).toBe(true)
    expect(values(['--revert-reason-enabled=false']).revertReasonEnabled).toBe(false)
  })

  test('then lists are comma separated, repeatable, and known by both names', () => {
    expect(values(['--rpc-http-api=ETH, NET', '--rpc-http-apis=QBFT,ETH']).rpcHttpApi).toEqual([
      'ETH',
      'NET',
      'QBFT',
    ])
  })

  test('then amounts are decimal or hex and may pass 2^53', () => {
    expect(values(['--rpc-tx-feecap=0x10', '--api-gas-price-max=123456789012345678901']).rpcTxFeecap).toBe(
      16n,
    )
    expect(values(['--api-gas-price-max=123456789012345678901']).apiGasPriceMax).toBe(123456789012345678901n)
  })

  test('then without any option Besu’s defaults hold, and the balance check is on', () => {
    expect(values([])).toMatchObject({
      dataPath: './data',
      rpcHttpHost: '127.0.0.1',
      rpcHttpPort: 8545,
      hostAllowlist: ['localhost', '127.0.0.1'],
      rpcHttpMaxBatchSize: 1024,
      rpcHttpMaxRequestContentLength: 5_242_880,
      rpcMaxLogsRange: 5000n,
      rpcMaxTraceFilterRange: 1000n,
      rpcGasCap: 100_000_000n,
      txPoolEnableBalanceCheck: true,
      txPoolRetentionHours: 13,
      txPoolLimitByAccountPercentage: 0.05,
      apiGasPriceBlocks: 100,
      apiGasPricePercentile: 50,
      poaBlockTxsSelectionMaxTime: 75,
      logging: 'INFO',
    })
  })

  const refused: readonly (readonly [args: readonly string[], text: string])[] = [
    [['--rpc-http-prot=1'], "Unknown option: '--rpc-http-prot'. Did you mean --rpc-http-port?"],
    [['--nothing-like-it-at-all'], "Unknown option: '--nothing-like-it-at-all'"],
    [['-x'], "Unknown option: '-x'"],
    [['--rpc-http-port'], "Missing required parameter for option '--rpc-http-port' (<PORT>)"],
    [['--data-path', '--rpc-http-enabled'], "Missing required parameter for option '--data-path' (<PATH>)"],
    [['--rpc-http-port=1', '--rpc-http-port=1'], "Option '--rpc-http-port' should be specified only once"],
    [
      ['--rpc-http-port=abc'],
      "Invalid value for option '--rpc-http-port': 'abc' is not a whole number from 0 to 65535",
    ],
    [
      ['--rpc-http-port=70000'],
      "Invalid value for option '--rpc-http-port': 70000 must be between 0 and 65535",
    ],
    [
      ['--rpc-http-max-request-content-length=67108864'],
      "Invalid value for option '--rpc-http-max-request-content-length': 67108864 must be between 1 and 33554432: a longer body would block the event loop, and with it consensus, for more than 50 ms",
    ],
    [
      ['--min-gas-price=-1'],
      "Invalid value for option '--min-gas-price': '-1' is not a whole number of 0 or more",
    ],
    [
      ['--rpc-http-enabled=yes'],
      "Invalid value for option '--rpc-http-enabled': 'yes' is not a boolean, give true or false",
    ],
    [
      ['--host-allowlist=none,a'],
      "Invalid value for option '--host-allowlist': Value 'none' can't be used with other hostnames",
    ],
    [
      ['--host-allowlist=*,a'],
      "Invalid value for option '--host-allowlist': Values '*' or 'all' can't be used with other hostnames",
    ],
    [
      ['--host-allowlist=a,,b'],
      "Invalid value for option '--host-allowlist': Hostname cannot be empty string or null string.",
    ],
    [
      ['--rpc-http-cors-origins=(('],
      "Invalid value for option '--rpc-http-cors-origins': Domain values result in invalid regex pattern",
    ],
    [
      ['--net-restrict=10.0.0.0/99'],
      "Invalid value for option '--net-restrict': '10.0.0.0/99' is neither a network such as 10.0.0.0/8 nor an address",
    ],
    [
      ['--banned-node-ids=0x12'],
      "Invalid value for option '--banned-node-ids': '0x12' is not a node id of 64 bytes in hex",
    ],
    [
      ['--required-blocks=7'],
      "Invalid value for option '--required-blocks': '7' is not a number, =, and a block hash of 32 bytes in hex",
    ],
    [
      ['--p2p-interface=localhost'],
      "Invalid value for option '--p2p-interface': 'localhost' is not a numeric address, such as 0.0.0.0 for all addresses of this machine",
    ],
    [
      ['--p2p-host=a b'],
      "Invalid value for option '--p2p-host': 'a b' is neither an address nor a host name",
    ],
    [
      ['--rpc-ws-ssl-truststore-file=store'],
      "Option '--rpc-ws-ssl-truststore-file' is refused: TLS reads PEM files here: give the authorities of client certificates with --rpc-ws-ssl-trustcert-file. Remove it.",
    ],
  ]
  test.each(refused)('when it is %p, then it is refused: %s', (args, text) => {
    expect(message(() => values(args))).toBe(text)
  })

  test('when a bootnode is no enode URL, then Besu’s text shows the format', () => {
    expect(message(() => values(['--bootnodes=enode://aa@127.0.0.1:30303']))).toStartWith(
      "Invalid value for option '--bootnodes': Invalid enode URL syntax 'enode://aa@127.0.0.1:30303'. Enode URL should have",
    )
  })

  test('when there is no bootnode, then the list may be empty, as in Besu', () => {
    expect(values(['--bootnodes=']).bootnodes).toEqual([])
  })

  test('when a group of methods does not exist, then Besu’s text names it', () => {
    expect(message(() => values(['--rpc-http-api=ETH,BOGUS']))).toStartWith(
      "Invalid value for option '--rpc-http-api': invalid entries found [BOGUS]",
    )
  })

  test('when a group was removed from Besu, then the reason is given beside what else is wrong', () => {
    expect(message(() => values(['--rpc-http-api=ETH,EEA,PRIV', '--rpc-ws-api=CLIQUE,BOGUS']))).toBe(
      [
        '2 settings are refused:',
        "- Invalid value for option '--rpc-http-api': leave out EEA and PRIV: this node has no private transactions, which Besu removed, too",
        "- Invalid value for option '--rpc-ws-api': leave out CLIQUE: this node has no Clique; invalid entries found [BOGUS], the groups are ETH, NET, WEB3, QBFT, IBFT, TXPOOL, DEBUG, ADMIN, MINER, PERM, TRACE, OTS, DEV",
      ].join('\n'),
    )
  })

  test('when the share of one sender is given, then either kind of pool has it', () => {
    for (const pool of ['sequenced', 'layered'])
      expect(
        values([
          `--tx-pool=${pool}`,
          '--tx-pool-limit-by-account-percentage=0.25',
          '--tx-pool-retention-hours=1',
          '--tx-pool-enable-balance-check=false',
        ]),
      ).toMatchObject({
        txPoolLimitByAccountPercentage: 0.25,
        txPoolRetentionHours: 1,
        txPoolEnableBalanceCheck: false,
      })
    expect(message(() => values(['--tx-pool=legacy']))).toContain('transaction pool')
  })

  test('when an option of Besu’s asks for what is done anyway, then it is accepted', () => {
    expect(values(['--nat-method=NONE', '--rpc-ws-ssl-enabled', 'false', '--sync-mode=FULL']).dataPath).toBe(
      './data',
    )
  })
})

describe('given several sources', () => {
  test('then the command line wins, then QUORATE_*, BESU_*, the file, the default', () =>
    withFolder(folder => {
      const file = join(folder, 'config.toml')
      writeFileSync(
        file,
        'rpc-http-port = 1\nidentity = "file"\nrpc-http-host = "1.1.1.1"\nmin-gas-price = "5"\n[section]\nlogging = "WARN"',
      )
      const environment = {
        QUORATE_CONFIG_FILE: file,
        QUORATE_RPC_HTTP_PORT: '3',
        BESU_RPC_HTTP_PORT: '2',
        BESU_IDENTITY: 'besu',
        QUORATE_MIN_GAS_PRICE: '',
      }
      const { values: got, sources } = resolve(['--rpc-http-port=4'], environment)
      expect(got).toMatchObject({
        rpcHttpPort: 4,
        identity: 'besu',
        rpcHttpHost: '1.1.1.1',
        minGasPrice: 5n,
        logging: 'WARN',
        rpcHttpMaxBatchSize: 1024,
      })
      expect(values([], environment).rpcHttpPort).toBe(3)
      expect(values([], { ...environment, QUORATE_RPC_HTTP_PORT: undefined }).rpcHttpPort).toBe(2)
      expect([...sources]).toContainEqual(['identity', 'BESU_IDENTITY'])
    }))

  test('then an alias has its variable and its key', () =>
    withFolder(folder => {
      const file = join(folder, 'config.toml')
      writeFileSync(file, 'rpc-http-apis = ["ETH", "QBFT"]')
      expect(values([], { BESU_RPC_HTTP_APIS: 'NET' }).rpcHttpApi).toEqual(['NET'])
      expect(values([`--config-file=${file}`]).rpcHttpApi).toEqual(['ETH', 'QBFT'])
    }))

  test('when the file is named twice, then it is refused', () => {
    expect(message(() => values(['--config-file=a'], { BESU_CONFIG_FILE: 'b' }))).toBe(
      'TOML file specified using BESU_CONFIG_FILE=b and --config-file=a, please specify only one',
    )
  })

  test('when a variable asks for what is not here, then it is refused by its name', () => {
    expect(message(() => values([], { BESU_ETHSTATS: '1' }))).toStartWith(
      "Option 'BESU_ETHSTATS' is refused: ",
    )
    expect(values([], { BESU_P2P_ENABLED: 'false' }).dataPath).toBe('./data')
  })

  test('when a value of the environment is wrong, then the message says where it stands', () => {
    expect(message(() => values([], { BESU_RPC_HTTP_PORT: 'x' }))).toBe(
      "Invalid value for option '--rpc-http-port': 'x' is not a whole number from 0 to 65535 (from BESU_RPC_HTTP_PORT)",
    )
  })

  test('then unknown variables with this node’s prefix are found', () => {
    expect(
      unknownVariables(NODE_OPTIONS, { QUORATE_RPC_PORT: '1', QUORATE_IDENTITY: 'a', BESU_OPTS: '' }),
    ).toEqual(['QUORATE_RPC_PORT'])
    expect(variableHint(NODE_OPTIONS, 'QUORATE_RPC_HTTP_PROT')).toBe('. Did you mean QUORATE_RPC_HTTP_PORT?')
    // It asks for what is done anyway.
    expect(unknownVariables(NODE_OPTIONS, { QUORATE_METRICS_ENABLED: 'false' })).toEqual([])
  })
})

describe('given options that have no effect', () => {
  const ignored = (args: readonly string[]) => {
    const { values: options, sources } = resolve(args)
    return ignoredOptions({ options, sources })
  }

  test('when the node connects with no others, then those of the network are announced', () => {
    const given = [
      '--bootnodes=',
      '--p2p-port=1',
      '--p2p-host=10.0.0.1',
      '--max-peers=3',
      '--discovery-enabled',
    ]
    expect(ignored(given)).toEqual([
      { ignored: '--p2p-port, --bootnodes, --discovery-enabled, --max-peers', parent: '--p2p-enabled' },
    ])
    expect(ignored([...given, '--p2p-enabled'])).toEqual([])
    expect(ignored(['--p2p-enabled=false'])).toEqual([])
  })
})

describe('given a TOML file', () => {
  const files: readonly (readonly [content: string, text: string])[] = [
    ['', 'Unable to read from empty TOML configuration file.'],
    ['# nothing', 'Unable to read from empty TOML configuration file.'],
    ['a = = 1', 'Invalid TOML configuration: '],
    ['a.b.c = 1', "Invalid TOML configuration: 'b' is a table within a table"],
    ['a = 1', 'Unknown option in TOML configuration file: a'],
    ['a = 1\nb = 2', 'Unknown options in TOML configuration file: a, b'],
    [
      'rpc-http-prot = 1',
      'Unknown option in TOML configuration file: rpc-http-prot. Did you mean rpc-http-port?',
    ],
    [
      'rpc-http-enabled = "true"',
      "Invalid value for 'rpc-http-enabled' in TOML configuration file: expected a boolean",
    ],
    [
      'rpc-http-api = "ETH"',
      "Invalid value for 'rpc-http-api' in TOML configuration file: expected an array of strings",
    ],
    [
      'data-path = 1',
      "Invalid value for 'data-path' in TOML configuration file: expected a string in quotes",
    ],
    [
      'rpc-http-api = ["ETH"]\nrpc-http-apis = ["NET"]',
      "Option 'rpc-http-api' should be specified only once",
    ],
    ['ethstats = "a:b@c"', "Option 'ethstats' is refused: "],
    [
      'rpc-http-port = "x"',
      "Invalid value for option '--rpc-http-port': 'x' is not a whole number from 0 to 65535 (from rpc-http-port in ",
    ],
  ]
  test.each(files)('when it holds %p, then the message begins %p', (content, text) =>
    withFolder(folder => {
      const file = join(folder, 'config.toml')
      writeFileSync(file, content)
      const got = message(() => values([`--config-file=${file}`]))
      expect(got).toStartWith(text)
      expect(got).not.toContain('\n')
    }),
  )

  test('then amounts may pass 2^53, with and without quotes', () =>
    withFolder(folder => {
      const file = join(folder, 'config.toml')
      writeFileSync(file, 'rpc-tx-feecap = 2000000000000000000\napi-gas-price-max = "123456789012345678901"')
      expect(values([`--config-file=${file}`])).toMatchObject({
        rpcTxFeecap: 2_000_000_000_000_000_000n,
        apiGasPriceMax: 123456789012345678901n,
      })
    }))

  test('when it is missing, then Besu’s text says so', () => {
    expect(message(() => values(['--config-file=nowhere/x.toml']))).toStartWith(
      'Unable to read TOML configuration, file not found.',
    )
  })

  test('when it asks of what is not here for what is done anyway, then it is accepted', () =>
    withFolder(folder => {
      const file = join(folder, 'config.toml')
      writeFileSync(file, 'nat-method = "NONE"\nsync-mode = "FULL"\nidentity = "a"')
      expect(values([`--config-file=${file}`]).identity).toBe('a')
    }))
})
