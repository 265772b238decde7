import { describe, expect, test } from 'bun:test'
import { VALIDATORS } from '../../core/chain/support/keys.ts'
import { CONFIGURATION, logLines, type WiredNode } from './support/node.ts'
import { wireEachTest } from './support/wireEachTest.ts'
import { until } from '../../support/until.ts'
import { turns } from '../../support/turns.ts'

const [A, B] = VALIDATORS

const { wire, node } = wireEachTest()

const pair = async (
  configuration: Readonly<Record<string, string>>,
): Promise<readonly [WiredNode, WiredNode]> => {
  const one = await node(A)
  const other = await node(B, { configuration })
  wire.connect(one.network, other.network)
  await until(() => one.network.peers().length === 1)
  return [one, other]
}

const warnings = (): readonly string[] => logLines.filter(line => line.includes('WARN'))

describe('given two nodes that connect', () => {
  test('when their genesis files are equal, then nothing is logged', async () => {
    const [one] = await pair(CONFIGURATION)
    await turns(20)
    expect(one.sync.differences()).toEqual([])
    expect(warnings()).toEqual([])
  })

  test('when a transition differs, then both log its name and values once, and stay connected', async () => {
    const entry = 'transitions.qbft[100].blockperiodseconds'
    const [one, other] = await pair({
      ...CONFIGURATION,
      'qbft.blockperiodseconds': '5',
      [entry]: 'x'.repeat(500),
    })
    await until(() => one.sync.differences().length === 1 && other.sync.differences().length === 1)
    expect(one.sync.differences()[0]?.entries).toEqual(['qbft.blockperiodseconds', entry])
    const own = warnings().find(line =>
      line.includes(`enode://${one.network.peers()[0]?.enode.slice(8)} runs`),
    )
    expect(own).toContain('qbft.blockperiodseconds is 5 there and 2 here; ')
    expect(own).toContain(`${entry} is ${'x'.repeat(80)}… there and missing here`)
    other.network.sendStatus()
    await turns(20)
    expect(warnings()).toHaveLength(2)
  })

  test('when the names are invented and very long, then they are shortened', async () => {
    const [one] = await pair({ ...CONFIGURATION, [`z${'y'.repeat(10_000)}`]: '1' })
    await until(() => one.sync.differences().length === 1)
    expect(one.sync.differences()[0]?.entries).toEqual([`z${'y'.repeat(79)}…`])
  })

  test('when a node of another chain is refused from several ports, then that is logged once and remembered', async () => {
    const [one] = await pair(CONFIGURATION)
    const { onRefused } = one.sync.handlers
    for (let port = 1; port <= 3; port++)
      onRefused(`10.0.0.7:${port}`, 'its genesis block is another', ['alloc', 'chainId'], '0x07')
    expect(one.sync.differences()).toEqual([
      { peer: '10.0.0.7:1', entries: ['alloc', 'chainId'], address: '0x07' },
    ])
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toContain('Entries that differ in the genesis file: alloc, chainId')
  })

  test('when very many nodes are refused, then a limited number is remembered', async () => {
    const [one] = await pair(CONFIGURATION)
    for (let index = 0; index < 1_000; index++)
      one.sync.handlers.onRefused(
        `10.0.${index >> 8}.${index & 255}:1`,
        'another chain',
        ['chainId'],
        `0x${index}`,
      )
    expect(one.sync.differences()).toHaveLength(64)
    expect(one.sync.differences().at(-1)?.peer).toBe('10.0.3.231:1')
  })
})
