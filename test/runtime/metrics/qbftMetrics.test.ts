import { describe, expect, test } from 'bun:test'
import type { Effect, RoundReason } from '../../../core/qbft/effect.ts'
import { initialState } from '../../../core/qbft/state.ts'
import { createConsensusReport } from '../../../runtime/consensus/reports/consensusReport.ts'
import { createQbftMetrics } from '../../../runtime/metrics/qbftMetrics.ts'
import { createRegistry } from '../../../runtime/metrics/registry.ts'
import { testAddress } from '../genesis.ts'

const REPORT = createConsensusReport(testAddress(1))
REPORT.observer.newHead(
  {
    number: 4n,
    hash: new Uint8Array(32),
    timestamp: 1n,
    coinbase: testAddress(1),
    validators: [testAddress(1)],
    readyAtMs: 0,
    emptyAtMs: 0,
    periodMs: 1_000,
    spacingSeconds: 1,
    active: true,
  },
  1_000,
)

const start = async () => {
  const registry = await createRegistry(['QBFT'])
  const observer = createQbftMetrics(registry, {
    address: testAddress(1),
    report: REPORT.now,
    diagnose: () => ({ isStalled: false, kind: undefined }),
    pendingVotes: async () => 0,
    clockOffsetsMs: () => new Map(),
    proposalGasMax: () => 2_100_000n,
  })
  const step = (effect: Effect, code = 0x12) =>
    observer.stepped({
      input: { kind: 'message', peer: testAddress(2), message: { code, data: new Uint8Array(1) } },
      effects: [effect],
      state: initialState(undefined),
      nowMs: 1_000,
    })
  const samples = async (name: string): Promise<readonly string[]> =>
    (await registry.render('text', [name])).text.split('\n').filter(line => line.startsWith(name))
  return { observer, step, samples }
}

const round = (reason: RoundReason, number = 1): Effect => ({
  kind: 'round-started',
  sequence: 5n,
  round: number,
  timeoutMs: 1_000,
  reason,
  heard: [],
  quorum: 3,
})

describe('given the metrics of consensus', () => {
  test('when this validator limits its blocks, then the limit is a metric', async () => {
    const { samples } = await start()
    expect(await samples('qbft_proposal_gas_limit')).toEqual(['qbft_proposal_gas_limit 2100000'])
  })

  test('when rounds start, then those above 0 are counted by their reason', async () => {
    const { step, samples } = await start()
    step(round('block-timer', 0))
    for (const reason of ['timeout', 'timeout', 'early-round-change', 'round-changes', 'proposal'] as const)
      step(round(reason))
    expect(await samples('qbft_rounds_total')).toEqual([
      'qbft_rounds_total{reason="timeout"} 2',
      'qbft_rounds_total{reason="quorum_of_round_changes"} 2',
      'qbft_rounds_total{reason="early"} 1',
    ])
  })

  test('when a validator signed twice, then the pair is counted by the kind of message', async () => {
    const { step, samples } = await start()
    const message = { code: 0x13, data: new Uint8Array(2) }
    step({
      kind: 'evidence',
      evidence: { author: testAddress(3), sequence: 5n, round: 0, first: message, second: message },
    })
    expect(await samples('qbft_evidence_total')).toContain('qbft_evidence_total{kind="prepare"} 1')
  })

  test('when messages are dropped, then the result names why', async () => {
    const { observer, step, samples } = await start()
    step({ kind: 'dropped', reason: 'duplicate', peer: testAddress(2), author: undefined, detail: '' })
    observer.refused(testAddress(9), 0x99, 'peer-not-a-validator')
    observer.sent(0x14, 3)
    expect(await samples('qbft_messages_total')).toEqual([
      'qbft_messages_total{type="proposal",direction="in",result="duplicate"} 1',
      'qbft_messages_total{type="unknown",direction="in",result="peer-not-a-validator"} 1',
      'qbft_messages_total{type="commit",direction="out",result="sent"} 3',
    ])
  })
})
