import { expect, setDefaultTimeout, test } from 'bun:test'
import { turns } from '../../support/turns.ts'
import { until } from '../../support/until.ts'
import { genesisText } from '../genesis.ts'
import { runConsensus } from './running.ts'

setDefaultTimeout(120_000)

test('given a validator, when an invariant is broken, then it names it once and signs nothing any more', async () => {
  // A round without a length.
  const { running, lines, chain } = await runConsensus(
    genesisText({ qbft: { xblockperiodmilliseconds: 10 } }),
    { requestTimeoutMs: Number.NaN },
  )
  await until(() => running.brokenInvariant() !== undefined)
  expect(running.brokenInvariant()).toStartWith('the invariant timeout-in-bounds is broken')
  await turns(50)
  await running.stop()
  expect(chain.head().header.number).toBe(0n)
  expect(lines.filter(line => line.includes('signs nothing any more'))).toHaveLength(1)
})
