import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openNode } from '../../../runtime/node/opening/openNode.ts'
import { killPoints, runKilled } from '../../support/programs/killedRun.ts'
import { isInstalled } from '../../support/programs/runtimeCommands.ts'
import { runHere } from '../commandLine.ts'
import { testAddress, writeNetwork } from '../genesis.ts'
import { growChain } from '../growChain.ts'
import { PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { expectChain, fixtureOf, RELEASES, unpack } from '../upgrade/fixture.ts'

/* Commands that are killed before one of their writes: a few in a run of all tests, each of them with KILLS=all. */

const IS_WHOLE = process.env['KILLS'] !== undefined
setDefaultTimeout((IS_WHOLE ? 40 : 2) * PROCESS_TEST_TIMEOUT_MS)

const BLOCKS = 6
const RECEIVER = testAddress(9)

let folder: string
let genesis: string
let file: string

const at = (name: string): string => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-kills-'))
  genesis = writeNetwork(folder)[0] as string
  await growChain(at('source'), genesis.slice('--genesis-file='.length), BLOCKS, 1, RECEIVER)
  file = at('chain.snapshot')
  const create = ['snapshot', 'create', genesis, `--data-path=${at('source')}`, `--to=${file}`]
  expect((await runHere(create)).code).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cache = (): string => at('cache')

/** Every block has paid the receiver 1 wei. */
const expectWhole = async (name: string): Promise<void> => {
  const genesisFile = genesis.slice('--genesis-file='.length)
  const node = await openNode({ dataPath: at(name), genesisFile, storage: 'sqlite' })
  try {
    const { store } = node.chain
    for (const number of [2n, BigInt(BLOCKS)])
      expect(await store.run(() => store.stateAt(number).account(RECEIVER)?.balance)).toBe(number)
  } finally {
    await node.close()
  }
}

const succeeds = async (...args: readonly string[]): Promise<void> => {
  const { code, error } = await runHere(args)
  expect([code, error]).toEqual([0, ''])
}

/** Runs it once for each point on data paths that `prepare` makes, and `verify` after each kill. */
const killEach = async (
  few: number,
  argsOf: (name: string) => readonly string[],
  prepare: (name: string) => void,
  verify: (name: string) => Promise<void>,
  stopAt?: string,
): Promise<void> => {
  const run = (name: string, killAt: number) => {
    prepare(name)
    const options = { args: argsOf(name), killAt, cache: cache() }
    return runKilled(stopAt === undefined ? options : { ...options, stopAt })
  }
  const { writes } = await run('counted', 0)
  expect(writes).toBeGreaterThan(few)
  for (const killAt of killPoints(writes, few)) {
    const name = `killed-${killAt}`
    expect([killAt, (await run(name, killAt)).signal]).toEqual([killAt, 'SIGKILL'])
    await verify(name)
    rmSync(at(name), { recursive: true })
  }
  rmSync(at('counted'), { recursive: true })
  if (IS_WHOLE) console.log(`killed before ${killPoints(writes, few).length} of ${writes} writes`)
}

describe.skipIf(!isInstalled('node'))(
  'given a command that is killed with SIGKILL before any of its writes',
  () => {
    test('when a snapshot is restored again, then the chain is there, and only as a whole', async () => {
      const restore = (name: string): readonly string[] => [
        'snapshot',
        'restore',
        genesis,
        `--data-path=${at(name)}`,
        `--from=${file}`,
      ]
      await killEach(
        4,
        restore,
        () => undefined,
        async name => {
          // The chain appears by one rename.
          if (!existsSync(join(at(name), 'chain'))) await succeeds(...restore(name))
          await expectWhole(name)
        },
      )
    })

    test('when damaged views are repaired again, then they are as the records say', async () => {
      const repair = (name: string): readonly string[] => [
        'storage',
        'check',
        genesis,
        `--data-path=${at(name)}`,
        '--repair',
      ]
      const damage = (name: string): void => {
        cpSync(at('source'), at(name), { recursive: true })
        const views = new Database(join(at(name), 'chain/views.sqlite'))
        views.run("UPDATE node SET value = x'00'")
        views.close()
      }
      await killEach(2, repair, damage, async name => {
        await succeeds(...repair(name))
        await expectWhole(name)
      })
    })

    // The store alone is stopped at each of these writes by test/core/store/recovery/earlierRelease.test.ts.
    test.skipIf(!IS_WHOLE).each(RELEASES)(
      'when the data path of the release of %s is opened again, then the chain goes on',
      async release => {
        const fixture = fixtureOf(release)
        const optionsOf = (name: string) => unpack(at(name), fixture)
        await killEach(
          1,
          name => [
            `--data-path=${join(at(name), 'data')}`,
            '--rpc-http-port=0',
            '--p2p-port=0',
            ...optionsOf(name),
          ],
          () => undefined,
          async name => {
            const node = await startNode(join(at(name), 'data'), [
              `--genesis-file=${join(at(name), 'genesis.json')}`,
              `--node-private-key-file=${join(at(name), 'key')}`,
              '--rpc-http-enabled',
            ])
            try {
              await expectChain(node, fixture)
              expect(node.output()).not.toContain('damaged')
            } finally {
              await node.stop()
            }
          },
          'Listening on',
        )
      },
    )
  },
)
