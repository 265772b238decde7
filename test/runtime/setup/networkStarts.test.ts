import { expect, setDefaultTimeout } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { independent } from '../../support/scenario.ts'
import { until } from '../../support/until.ts'
import { withFolder } from '../folder.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const VALIDATORS = [1, 2, 3, 4]

const isThere = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** The ports of a node, of which a test takes free ones: each file names its own once. */
const portsIn = (toml: string): readonly string[] =>
  [...toml.matchAll(/-port = (\d+)/g)].map(([, port]) => String(port))

independent(
  'given network init of four validators, when each starts with its own file, then they make blocks, and doctor is content',
  () =>
    withFolder(async parent => {
      const folder = join(parent, 'net')
      expect((await runCommand(['network', 'init', folder, '--validators=4', '--period=1'])).code).toBe(0)
      const files = VALIDATORS.flatMap(index =>
        ['quorate.toml', 'data/static-nodes.json'].map(name => join(folder, `validator${index}`, name)),
      )
      const written = [...new Set(files.flatMap(path => portsIn(readFileSync(path, 'utf8'))))]
      expect(written).toHaveLength(3 * VALIDATORS.length)
      const free = await freePorts(written.length)
      const inUse = new Map(written.map((port, at) => [port, String(free[at])]))
      // Nothing else of the files is changed.
      for (const path of files)
        writeFileSync(
          path,
          readFileSync(path, 'utf8').replace(
            /(-port = |:)(\d{4,5})\b/g,
            (_, before: string, port: string) => `${before}${inUse.get(port) ?? port}`,
          ),
        )
      const nodes: NodeProcess[] = []
      try {
        await Promise.all(
          VALIDATORS.map(async index => {
            const home = join(folder, `validator${index}`)
            const toml = readFileSync(join(home, 'quorate.toml'), 'utf8')
            const [p2p, rpc] = portsIn(toml)
            nodes.push(
              await startNode(join(home, 'data'), [
                `--config-file=${join(home, 'quorate.toml')}`,
                `--rpc-http-port=${rpc}`,
                `--p2p-port=${p2p}`,
              ]),
            )
          }),
        )
        await until(async () => {
          const heads = await Promise.all(nodes.map(node => node.rpc<string>('eth_blockNumber')))
          return heads.every(head => Number(head) >= 3)
        })
        const [first] = nodes
        const { code, out } = await runCommand(['doctor', `--url=${first?.url}`])
        expect(out).toContain('Blocks are decided')
        expect(code).toBe(0)
      } finally {
        await Promise.all(nodes.map(node => node.kill()))
      }
    }),
)

/** Programs that read the written files, and what they say of files without a fault. */
independent.skipIf(!isThere('systemd-analyze', '--version'))(
  'given the written units, when systemd reads them, then it finds no fault',
  () =>
    withFolder(async folder => {
      await runCommand([
        'network',
        'init',
        join(folder, 'net'),
        '--validators=2',
        '--hosts=a.example,b.example',
      ])
      for (const index of [1, 2]) {
        const unit = join(folder, `net/validator${index}/quorate.service`)
        // The program of an installation is not on the machine of a test.
        writeFileSync(unit, readFileSync(unit, 'utf8').replace('/usr/local/bin/quorate', '/bin/sh'))
        const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })
        expect([stderr.split('\n').filter(line => line.includes('.service')), status]).toEqual([[], 0])
      }
    }),
)

const COMPOSE = [['docker', 'compose'], ['docker-compose']].find(([program = '', ...args]) =>
  isThere(program, ...args, 'version'),
)

independent.skipIf(COMPOSE === undefined)(
  'given the written Compose file, when Compose reads it, then each service has its command, its files and its probe',
  () =>
    withFolder(async folder => {
      const net = join(folder, 'net')
      await runCommand(['network', 'init', net, '--validators=2'])
      const [program = '', ...args] = COMPOSE ?? []
      const { status, stdout, stderr } = spawnSync(program, [...args, 'config'], {
        cwd: net,
        encoding: 'utf8',
      })
      expect([stderr, status]).toEqual(['', 0])
      for (const index of [1, 2]) {
        expect(stdout).toContain(`--config-file=${join(net, `validator${index}`, 'quorate.toml')}`)
        expect(stdout).toContain(join(net, `validator${index}`))
      }
      expect(stdout.split('/readiness')).toHaveLength(3)
      // Whoever made the keys may read them.
      const owner = statSync(join(net, 'validator1/data/key'))
      expect(stdout).toContain(`user: ${owner.uid}:${owner.gid}`)
    }),
)
