import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { createRoundLog } from '../../../../runtime/consensus/reports/roundLog.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { testAddress } from '../../genesis.ts'

const VALIDATORS = [1, 2, 3, 4].map(testAddress)

const roundsOf = () => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => void lines.push(line) })
  const rounds = createRoundLog(logOf('validator'), testAddress(1))
  rounds.newHead(VALIDATORS)
  const start = (round: number, heard: readonly Uint8Array[] = []): void =>
    rounds.started({
      kind: 'round-started',
      sequence: 12n,
      round,
      timeoutMs: 4_000,
      quorum: 3,
      heard,
      reason: 'timeout',
    })
  return { start, lines }
}

describe('given a validator whose network needs several rounds', () => {
  test('when the first round changes, then nothing is logged', () => {
    const { start, lines } = roundsOf()
    start(0)
    start(1)
    expect(lines).toEqual([])
  })

  test('when a second one follows, then the round and its validators are logged as by Besu', () => {
    const { start, lines } = roundsOf()
    start(2, [testAddress(1), testAddress(3)])
    const text = lines.join('')
    expect(text).toContain('Moved to round 2 which will expire in 4 seconds')
    expect(text).toContain('BFT round summary (quorum = 3)')
    expect(text).toContain(`Address: ${toHex(testAddress(1))}  Round: 2 (Local node)`)
    expect(text).toContain(`Address: ${toHex(testAddress(4))}  not heard of at this height`)
  })
})
