import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { unitText } from '../../../runtime/setup/systemdUnit.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(60_000)

/** Every file of a folder with its text and its rights. */
const contentOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path, `${statSync(path).mode} ${readFileSync(path, 'utf8')}`]),
  )

const init = (folder: string, ...args: readonly string[]) => runCommand(['network', 'init', folder, ...args])

describe('given network init', () => {
  test('when it writes one validator, then a node makes blocks with the files, and a second run changes nothing', () =>
    withFolder(async parent => {
      const folder = join(parent, 'net')
      const { code, out } = await init(folder, '--validators=1', '--period=1', '--chain-id=77')
      expect([code, out]).toEqual([0, expect.stringContaining('wrote validator1/quorate.toml')])
      const home = join(folder, 'validator1')
      expect(statSync(join(home, 'data/key')).mode & 0o777).toBe(0o600)
      expect(readdirSync(home).sort()).toEqual(['data', 'genesis.json', 'quorate.toml'])
      expect(readFileSync(join(home, 'quorate.toml'), 'utf8')).toContain('p2p-interface = "127.0.0.1"')
      const before = contentOf(folder)
      expect((await init(folder, '--validators=1')).out).toContain('nothing was changed')
      expect(contentOf(folder)).toEqual(before)

      const node = await startNode(join(home, 'data'), [
        `--config-file=${join(home, 'quorate.toml')}`,
        '--metrics-port=0',
      ])
      try {
        expect(await node.rpc<string>('eth_chainId')).toBe('0x4d')
        await until(async () => (await node.rpc<string>('eth_blockNumber')) !== '0x0')
      } finally {
        await node.stop()
      }
    }))

  test('when it writes four validators of four hosts, then each folder is complete and knows the others', () =>
    withFolder(async folder => {
      const hosts = ['a.example', 'b.example', '10.0.0.3', 'd.example']
      expect((await init(folder, '--validators=4', `--hosts=${hosts.join(',')}`)).code).toBe(0)
      for (const [index, host] of hosts.entries()) {
        const home = join(folder, `validator${index + 1}`)
        const config = parse(readFileSync(join(home, 'quorate.toml'), 'utf8'))
        expect(config).toMatchObject({
          'p2p-host': host,
          'data-path': '/var/lib/quorate/data',
          'p2p-port': 30303,
        })
        const others = JSON.parse(readFileSync(join(home, 'data/static-nodes.json'), 'utf8')) as string[]
        expect(others.map(enode => enode.replace(/^.*@/, ''))).toEqual(
          hosts.filter(other => other !== host).map(other => `${other}:30303`),
        )
        expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toContain(`  validator${index + 1}:`)
        const unit = readFileSync(join(home, 'quorate.service'), 'utf8')
        expect(unit).toContain(
          'ExecStart=/usr/local/bin/quorate --config-file=/var/lib/quorate/quorate.toml\n',
        )
        expect(unit).toContain('StateDirectory=quorate\n')
        expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toContain('user: "10001:10001"')
        expect(readFileSync(join(home, 'genesis.json'), 'utf8')).toBe(
          readFileSync(join(folder, 'genesis.json'), 'utf8'),
        )
        expect(
          (await runCommand(['validate-config', `--config-file=${join(home, 'quorate.toml')}`])).code,
        ).toBe(0)
      }
    }))

  test('when a file is lost, then it comes again; when a key is lost or damaged, then nothing is changed', () =>
    withFolder(async folder => {
      await init(folder, '--validators=2')
      const before = contentOf(folder)
      rmSync(join(folder, 'validator2/quorate.toml'))
      expect((await init(folder, '--validators=2')).out).toContain('wrote validator2/quorate.toml')
      expect(contentOf(folder)).toEqual(before)

      writeFileSync(join(folder, 'validator2/data/key'), '0x12')
      const damaged = await init(folder, '--validators=2')
      expect([damaged.code, damaged.error]).toEqual([
        1,
        expect.stringContaining('its content is not 32 bytes of hex'),
      ])
      rmSync(join(folder, 'validator2/data/key'))
      const lost = await init(folder, '--validators=2')
      expect(lost.error).toContain('is of 2 validators, and the keys in its folder are of others')
      expect((await init(folder, '--validators=3')).error).toContain('give --validators=2')
    }))

  const refused: readonly (readonly [args: readonly string[], text: string])[] = [
    [[], 'Give one folder: network init DIR'],
    [['DIR', '--validators=2', '--hosts=a'], '--hosts names 1 hosts, --validators=2'],
    [['DIR', '--validators=2', '--hosts=a,a'], '--hosts names a host twice'],
    [['DIR', '--validators=1', '--hosts=a b'], "'a b' is neither an address nor a host name"],
    [['DIR', '--validators=0'], '0 must be between 1 and 100'],
  ]
  test.each(refused)('when it is asked for %p, then it says %p', (args, text) =>
    withFolder(async folder => {
      const { code, error } = await runCommand([
        'network',
        'init',
        ...args.map(arg => (arg === 'DIR' ? join(folder, 'net') : arg)),
      ])
      expect([code, error]).toEqual([2, expect.stringContaining(text)])
      expect(readdirSync(folder)).toEqual([])
    }),
  )

  test('when the folder cannot be written, then one sentence says so', () =>
    withFolder(async folder => {
      mkdirSync(join(folder, 'net'))
      writeFileSync(join(folder, 'net/validator1'), '')
      const { code, error } = await init(join(folder, 'net'), '--validators=1')
      expect([code, error.trim().split('\n')]).toEqual([1, [expect.stringContaining('validator1/data/key')]])
    }))
})

/** The units of the package and those of `network init` come from one text. */
test.each([
  ['quorate.service', 'Quorate, a QBFT blockchain node', 'node', ''],
  ['quorate@.service', 'Quorate node %i', '%i', '/%i'],
])(
  'given %s of the package, when it is compared with what network init writes, then they differ in paths alone',
  (file, description, name, folder) => {
    const path = join(import.meta.dir, '../../../runtime/packaging/systemd', file)
    const args = [
      `--config-file=/etc/quorate/${name}.toml`,
      '--genesis-file=/etc/quorate/genesis.json',
      `--data-path=/var/lib/quorate${folder}`,
    ]
    expect(readFileSync(path, 'utf8')).toBe(
      unitText({ description, args, stateDirectory: `quorate${folder}` }),
    )
  },
)
