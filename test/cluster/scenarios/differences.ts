import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import { testAddress } from '../../runtime/genesis.ts'
import type { NodeProcess } from '../../runtime/nodeProcess.ts'
import { enodeOf, type Genesis, startOwnNode } from '../support/ownNode.ts'
import { until } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const transitions = (...qbft: readonly object[]): object => ({ transitions: { qbft } })

/** Two validators, of which one runs: nothing but the connection happens. */
const BASE: Genesis = {
  validators: [1, 2],
  config: transitions({ block: 1_000, blockperiodseconds: 7 }, { block: 2_000, blockreward: '5' }),
}

type Report = readonly { readonly peer: string; readonly entries: readonly string[] }[]

const differencesOf = async (node: NodeProcess): Promise<Report> => {
  const answer = (await (await fetch(`${node.url}/readiness?minPeers=0`)).json()) as {
    readonly differences?: Report
  }
  return answer.differences ?? []
}

scenario('given a node, and another whose genesis file', ({ beforeAll, afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-differences-'))
  const running: NodeProcess[] = []
  let count = 0
  let enode = ''
  let first: NodeProcess

  const start = async (genesis: Genesis, ...args: readonly string[]): Promise<NodeProcess> => {
    const index = ++count
    const node = await startOwnNode(folder, `node${index}`, index, genesis, args)
    running.push(node)
    return node
  }

  beforeAll(async () => {
    first = await start(BASE)
    enode = enodeOf(first)
  })

  afterAll(async () => {
    await Promise.all(running.map(node => node.kill()))
    rmSync(folder, { recursive: true, force: true })
  })

  const reports: readonly [what: string, Genesis, args: readonly string[], refused: boolean, string[]][] = [
    ['has another alloc', { ...BASE, top: { alloc: {} } }, [], true, ['alloc']],
    ['has another chain id', { ...BASE, config: { ...BASE.config, chainId: 4243 } }, [], true, ['chainId']],
    [
      'has another chain id beside the same network id',
      { ...BASE, config: { ...BASE.config, chainId: 4243 } },
      ['--network-id=4242'],
      false,
      ['chainId'],
    ],
    ['names other validators', { ...BASE, validators: [1, 2, 3] }, [], true, ['extraData']],
    [
      'has a fork more',
      { ...BASE, config: { ...BASE.config, shanghaiTime: 4_000_000_000 } },
      [],
      false,
      ['shanghaiTime'],
    ],
    [
      'has other options',
      { ...BASE, qbft: { epochlength: 100, miningbeneficiary: toHex(testAddress(9)) } },
      [],
      false,
      ['qbft.epochlength', 'qbft.miningbeneficiary'],
    ],
    [
      'has no transitions',
      { ...BASE, config: {} },
      [],
      false,
      ['transitions.qbft[block 1000].blockperiodseconds', 'transitions.qbft[block 2000].blockreward'],
    ],
    [
      'has a transition at another block and one with another value',
      {
        ...BASE,
        config: transitions({ block: 1_001, blockperiodseconds: 7 }, { block: 2_000, blockreward: '6' }),
      },
      [],
      false,
      [
        'transitions.qbft[block 1000].blockperiodseconds',
        'transitions.qbft[block 1001].blockperiodseconds',
        'transitions.qbft[block 2000].blockreward',
      ],
    ],
    [
      'has transitions of every other kind',
      {
        ...BASE,
        config: transitions(
          { block: 1_000, blockperiodseconds: 7 },
          { block: 2_000, blockreward: '5' },
          { block: 3_000, xblockperiodmilliseconds: 100, emptyblockperiodseconds: 9 },
          { block: 4_000, validators: [toHex(testAddress(2))], miningbeneficiary: toHex(testAddress(9)) },
          {
            block: 5_000,
            validatorselectionmode: 'contract',
            validatorcontractaddress: toHex(testAddress(8)),
          },
          { block: 6_000, miningbeneficiary: '' },
        ),
      },
      [],
      false,
      [
        'transitions.qbft[block 3000].emptyblockperiodseconds',
        'transitions.qbft[block 3000].xblockperiodmilliseconds',
        'transitions.qbft[block 4000].miningbeneficiary',
        'transitions.qbft[block 4000].validators',
        'transitions.qbft[block 5000].validatorcontractaddress',
        'transitions.qbft[block 5000].validatorselectionmode',
        'transitions.qbft[block 6000].miningbeneficiary',
      ],
    ],
  ]

  test.each(reports)(
    'given a second node that %s, then both name the entries, in the log and in /readiness',
    async (_, genesis, args, refused, names) => {
      const seen = first.output().length
      const second = await start(genesis, `--bootnodes=${enode}`, ...args)
      const line = refused ? 'was refused' : 'runs with another genesis file'
      for (const [node, from] of [
        [first, seen],
        [second, 0],
      ] as const) {
        const text = await until(`a line that says "${line}"`, async () =>
          node
            .output()
            .slice(from)
            .split('\n')
            // Once a minute a node that stands still names a validator that was refused before.
            .find(each => each.includes(line) && names.every(name => each.includes(name))),
        )
        expect(text).toContain(refused ? 'Entries that differ' : 'Both must have the same one')
        const differing = await until('the names', async () => {
          const last = (await differencesOf(node)).at(-1)
          return last?.entries.join() === names.join() && last
        })
        expect(differing.entries).toEqual(names)
      }
      expect(Number(await second.rpc('net_peerCount'))).toBe(refused ? 0 : 1)
      await second.kill()
    },
  )

  test('given a second node with the same entries in another order and spelling, then neither reports a difference', async () => {
    const seen = first.output().length
    const second = await start(
      {
        ...BASE,
        qbft: { xBlockPeriodMilliseconds: 0, BlockReward: 0 },
        config: transitions(
          { blockReward: '0x5', block: 2_000 },
          { blockPeriodSeconds: 7, block: 1_000, miningBeneficiary: '' },
        ),
      },
      `--bootnodes=${enode}`,
    )
    await until('a connection', async () => Number(await second.rpc('net_peerCount')) === 1)
    expect(await differencesOf(second)).toEqual([])
    for (const text of [first.output().slice(seen), second.output()])
      expect(text).not.toContain('another genesis')
  })
})
