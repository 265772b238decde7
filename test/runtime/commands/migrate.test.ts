import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import type { Terminal } from '../../../runtime/cli/terminal/terminal.ts'
import { runCommandLine } from '../../../runtime/commands/run.ts'
import { withFolder } from '../folder.ts'
import { genesisText, testAddress, testKey } from '../genesis.ts'

const run = async (args: readonly string[]) => {
  const lines: string[] = []
  const terminal: Terminal = {
    out: text => void lines.push(text),
    error: text => void lines.push(text),
    logLine: (_, line) => void lines.push(line),
    interactive: false,
    inputInteractive: false,
    readSecret: () => Promise.reject(new Error('nobody is there to ask')),
    columns: 100,
    readInput: () => Promise.resolve(''),
    flush: () => Promise.resolve(),
  }
  const code = await runCommandLine(args, {}, terminal)
  return { code, text: lines.join('\n') }
}

/** A folder as a Besu node has it: configuration, genesis file, and the data path with its key. */
const besuFolder = (folder: string, toml: string): void => {
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(folder, 'config.toml'), toml)
  writeFileSync(join(folder, 'genesis.json'), genesisText({ validators: [1] }))
  writeFileSync(join(data, 'key'), toHex(testKey(1)), { mode: 0o600 })
  writeFileSync(join(data, 'VERSION_METADATA.json'), '{"besuVersion":"25.12.0","chainId":4242}')
  const enode = formatEnode({ publicKey: publicKeyOf(testKey(2)), host: '10.0.0.2', port: 30_303 })
  writeFileSync(join(data, 'static-nodes.json'), JSON.stringify([enode]))
}

const TOML = `data-path="data"
genesis-file="genesis.json"
p2p-port=30305
rpc-http-enabled=true
rpc-http-api=["ETH","QBFT","PRIV"]
min-gas-price=0
data-storage-format="FOREST"
plugins=["a"]
Xsomething=1
`

test('given the configuration of a Besu node, then the command prints how each option is mapped, and what to run', async () => {
  await withFolder(async folder => {
    besuFolder(folder, TOML)
    const { code, text } = await run([
      'migrate',
      `--from-besu=${join(folder, 'config.toml')}`,
      `--data-path=${join(folder, 'new')}`,
    ])
    // Two options are not taken.
    expect(code).toBe(1)
    expect(text).toMatch(/data-storage-format +FOREST\n +not needed/)
    expect(text).toMatch(/plugins +a\n +REFUSED: this node loads no plugins/)
    expect(text).toMatch(/Xsomething +1\n +REFUSED: this node does not know it/)
    expect(text).toContain(`node key      ${join(folder, 'data/key')} (${toHex(testAddress(1))})`)
    expect(text).toContain(`genesis       ${join(folder, 'genesis.json')} (chain 4242)`)
    expect(text).toContain('static-nodes.json (1)')
    expect(text).toContain('Besu 25.12.0 reads the encoding before 26.1')
    const command = text.slice(text.indexOf('  bun run node')).replace(/ \\\n +/g, ' ')
    expect(command.trim()).toBe(
      `bun run node --genesis-file=${join(folder, 'genesis.json')} --data-path=${join(folder, 'new')} --p2p-protocol=devp2p --Xbft-legacy-protocol-encoding=true --p2p-port=30305 --rpc-http-enabled=true --rpc-http-api=ETH,QBFT --min-gas-price=0`,
    )
    expect(text).toMatch(
      /ETH,QBFT,PRIV\n +ETH,QBFT; REFUSED: leave out PRIV: this node has no private transactions/,
    )
    expect(text).not.toContain(toHex(testKey(1)))
    expect(readdirSync(folder).sort()).toEqual(['config.toml', 'data', 'genesis.json'])
  })
})

test('given values with characters that control a terminal, then these are escaped', async () => {
  await withFolder(async folder => {
    besuFolder(folder, 'p2p-host="1.2.3.4\\u001b[2J\\n  p2p-host  5.6.7.8"\n"X\\u001b[31m"=1\n')
    const { text } = await run(['migrate', `--from-besu=${join(folder, 'config.toml')}`])
    expect(text).toMatch(/p2p-host +1\.2\.3\.4\\u001b\[2J\\n {2}p2p-host {2}5\.6\.7\.8\n +REFUSED/)
    expect(text).not.toContain('\u001b')
  })
})

test('given the data path alone, then the files in and beside it are found', async () => {
  await withFolder(async folder => {
    besuFolder(folder, 'min-gas-price=0\n')
    const { code, text } = await run(['migrate', `--from-besu=${join(folder, 'data')}`])
    expect(code).toBe(0)
    expect(text).toContain(`Options of ${join(folder, 'config.toml')}`)
    expect(text).toContain(`--genesis-file=${join(folder, 'genesis.json')}`)
  })
})

test('given transitions that Besu reads as times, then the entry and the option are named', async () => {
  await withFolder(async folder => {
    besuFolder(folder, TOML)
    const genesis = JSON.parse(genesisText({ validators: [1] }))
    Object.assign(genesis.config, {
      shanghaiTime: 0,
      transitions: { qbft: [{ block: 100_000, blockreward: '7' }] },
    })
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
    const { text } = await run([
      'migrate',
      `--from-besu=${join(folder, 'config.toml')}`,
      `--data-path=${join(folder, 'new')}`,
    ])
    expect(text).toContain(
      'config.transitions.qbft[block 100000] (blockreward): Besu reads "block" as a time',
    )
    expect(text).toContain('"besuTransitionTimes": true')
  })
})

test('given the folder of the configuration file, then the data path is the one that the file names', async () => {
  await withFolder(async folder => {
    besuFolder(folder, 'data-path="data"\n')
    const { code, text } = await run(['migrate', `--from-besu=${folder}`])
    expect(code).toBe(0)
    expect(text).toContain(`install -m 600 ${join(folder, 'data/key')} `)
  })
})

const PERMITTED = `nodes-allowlist=["${formatEnode({ publicKey: publicKeyOf(testKey(2)), host: '10.0.0.2', port: 30_303 })}"]
accounts-allowlist=[]
`
const USER = `[Users.alice]
password = "$2a$10$l3GA7K8g6rJ/Yv.YFSygCuI9byngpEzxgWS9qEg5emYDZomQW7fGC"
permissions = ["eth:*"]
`

test('given permission lists and credentials, then they are read, and a list in the data path is copied', async () => {
  await withFolder(async folder => {
    besuFolder(
      folder,
      'data-path="data"\npermissions-nodes-config-file-enabled=true\nrpc-http-authentication-credentials-file="users.toml"\n',
    )
    const list = join(folder, 'data/permissions_config.toml')
    writeFileSync(list, PERMITTED)
    writeFileSync(join(folder, 'users.toml'), USER)
    const args = ['migrate', `--from-besu=${folder}`, `--data-path=${join(folder, 'new')}`]
    const { code, text } = await run(args)
    expect(code).toBe(0)
    expect(text).toContain(`permissions   ${list} (nodes: 1, accounts: 0)`)
    expect(text).toContain(`credentials   ${join(folder, 'users.toml')} (users: 1)`)
    expect(text).toContain(`  cp ${list} ${join(folder, 'new/permissions_config.toml')}\n`)
    const named = `permissions-nodes-config-file="data/permissions_config.toml"\n`
    writeFileSync(
      join(folder, 'config.toml'),
      `data-path="data"\npermissions-nodes-config-file-enabled=true\n${named}`,
    )
    const kept = (await run(args)).text
    expect(kept).toContain(`--permissions-nodes-config-file=${list}`)
    expect(kept).not.toContain(`cp ${list}`)
    writeFileSync(list, 'nodes-allowlist=[5]\n')
    const wrong = await run(args)
    expect([wrong.code, wrong.text]).toEqual([
      1,
      `The permissions file ${list} cannot be used: nodes-allowlist must be an array of strings`,
    ])
  })
})

test('given no genesis file, then no command is shown and the exit code is 1, until --genesis-file names it', async () => {
  await withFolder(async folder => {
    besuFolder(folder, 'min-gas-price=0\n')
    const genesis = join(folder, 'network.json')
    rmSync(join(folder, 'genesis.json'))
    const from = `--from-besu=${join(folder, 'data')}`
    const without = await run(['migrate', from])
    expect(without.code).toBe(1)
    expect(without.text).toContain(
      'genesis       NOT FOUND: run this command again with --genesis-file=<PATH>',
    )
    expect(without.text).not.toContain('--data-path')
    writeFileSync(genesis, genesisText({ validators: [1] }))
    const named = await run(['migrate', from, `--genesis-file=${genesis}`])
    expect([named.code, named.text]).toEqual([0, expect.stringContaining(`--genesis-file=${genesis}`)])
  })
})

const FILES = [
  'config.toml',
  'genesis.json',
  'data/key',
  'data/static-nodes.json',
  'data/permissions_config.toml',
  'users.toml',
]
/** Each writes at a path what is not the file that belongs there. */
const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'is of 100 MB': path => {
    writeFileSync(path, '')
    truncateSync(path, 100_000_000)
  },
  'is half-written': path => writeFileSync(path, '{"a": "'),
  'is a folder': path => mkdirSync(path),
  'is a pipe': path => void spawnSync('mkfifo', [path]),
  'never ends': path => symlinkSync('/dev/zero', path),
}

test.each(FILES.flatMap(file => Object.keys(DAMAGES).map(damage => [file, damage] as const)))(
  'given that %s %s, then one sentence names it, and no command is shown',
  async (file, damage) => {
    await withFolder(async folder => {
      besuFolder(
        folder,
        `${TOML}permissions-nodes-config-file-enabled=true\nrpc-http-authentication-credentials-file="users.toml"\n`,
      )
      writeFileSync(join(folder, 'data/permissions_config.toml'), PERMITTED)
      writeFileSync(join(folder, 'users.toml'), USER)
      const path = join(folder, file)
      rmSync(path)
      DAMAGES[damage]?.(path)
      const { code, text } = await run(['migrate', `--from-besu=${join(folder, 'config.toml')}`])
      expect(code).not.toBe(0)
      expect(text.split('\n\nTo display full help')[0]).not.toContain('\n')
      expect(text).toContain(path)
      expect(text).not.toContain('--p2p-protocol')
    })
  },
)

const WRONG_KEYS = {
  'is too short': '0x00',
  'is zero': `0x${'0'.repeat(64)}`,
  'is above the order': `0x${'f'.repeat(64)}`,
}

test.each(Object.entries(WRONG_KEYS))(
  'given a key that %s, then one sentence names its file',
  async (_, key) => {
    await withFolder(async folder => {
      besuFolder(folder, TOML)
      writeFileSync(join(folder, 'data/key'), key)
      const { code, text } = await run(['migrate', `--from-besu=${join(folder, 'data')}`])
      expect(code).toBe(1)
      expect(text).toStartWith(`Private key cannot be loaded from file ${join(folder, 'data/key')}: `)
      expect(text).not.toContain('\n')
    })
  },
)

test('given a data path that is a device, then it says that a folder is expected', async () => {
  await withFolder(async folder => {
    besuFolder(folder, 'data-path="/dev/zero"\n')
    const { code, text } = await run(['migrate', `--from-besu=${join(folder, 'config.toml')}`])
    expect([code, text]).toEqual([
      1,
      '/dev/zero is no folder: the data path of the Besu node is expected there',
    ])
  })
})

test('given no such path, or none at all, then it says so', async () => {
  expect((await run(['migrate', '--from-besu=/nowhere/config.toml'])).text).toContain(
    'There is no file or folder at /nowhere/config.toml: give',
  )
  expect((await run(['migrate'])).text).toContain("Missing required option: '--from-besu=<PATH>'")
})
