import { describe, expect, test } from 'bun:test'
import { createRegistry } from '../../../runtime/metrics/registry.ts'
import { METRIC_CATEGORIES } from '../../../runtime/cli/metricCategories.ts'

const HEIGHT = 'ethereum_blockchain_height'
const GAS = 'besu_blockchain_chain_head_gas_used_counter_total'

describe('given a registry', () => {
  test('when it is read as text, then a counter keeps its name', async () => {
    const registry = await createRegistry(METRIC_CATEGORIES)
    registry.inc(GAS, {}, 21_000)
    const { type, text } = await registry.render('text', [GAS])
    expect(type).toContain('text/plain; version=0.0.4')
    expect(text).toBe(
      `# HELP ${GAS} Gas used by the blocks since the start of the process\n# TYPE ${GAS} counter\n${GAS} 21000\n`,
    )
  })

  test('when it is read as OpenMetrics, then a counter is named without its suffix and the end is marked', async () => {
    const registry = await createRegistry(METRIC_CATEGORIES)
    registry.inc(GAS, {}, 1)
    const { type, text } = await registry.render('openmetrics', [GAS])
    expect(type).toContain('application/openmetrics-text')
    expect(text.split('\n').slice(1)).toEqual([
      '# TYPE besu_blockchain_chain_head_gas_used_counter counter',
      `${GAS} 1`,
      '# EOF',
      '',
    ])
  })

  test('when names filter, then samples of a histogram name it too', async () => {
    const registry = await createRegistry(METRIC_CATEGORIES)
    registry.set(HEIGHT, 7)
    registry.observe('qbft_block_interval_seconds', 1)
    const { text } = await registry.render('text', ['qbft_block_interval_seconds_count', 'none_such'])
    expect(text).toContain('qbft_block_interval_seconds_count 1')
    expect(text).not.toContain(HEIGHT)
  })

  test('when a category is off, then its metrics are neither kept nor written', async () => {
    const registry = await createRegistry(['QBFT'])
    registry.set(HEIGHT, 7)
    expect((await registry.render('text')).text).not.toContain(HEIGHT)
    expect(registry.has('ETHEREUM')).toBe(false)
  })

  test('when a label set is pruned, then it is no longer written', async () => {
    const registry = await createRegistry(METRIC_CATEGORIES)
    for (const validator of ['0xa', '0xb']) registry.inc('qbft_blocks_proposed_total', { validator })
    await registry.prune('qbft_blocks_proposed_total', ({ validator }) => validator === '0xb')
    const { text } = await registry.render('text', ['qbft_blocks_proposed_total'])
    expect(text).not.toContain('0xa')
    expect(text).toContain('{validator="0xb"} 1')
  })

  test('when a metric is not in the table, then it throws', async () => {
    const registry = await createRegistry(METRIC_CATEGORIES)
    expect(() => registry.inc('none_such')).toThrow('none_such is not a counter')
    expect(() => registry.set(GAS, 1)).toThrow('is not a gauge')
  })
})
