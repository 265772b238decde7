import { describe, expect, test } from 'bun:test'
import { toHex } from '../../../../core/bytes/hex.ts'
import { createRoundLog } from '../../../../runtime/consensus/reports/roundLog.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { testAddress } from '../../genesis.ts'

const VALIDATORS = [1, 2, 3, 4].map(testAddress)

const roundsOf = (connected: readonly Uint8Array[]) => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => void lines.push(line) })
  const rounds = createRoundLog(logOf('validator'), testAddress(1), () => connected)
  rounds.newHead(VALIDATORS)
  const start = (round: number): void =>
    rounds.started({
      kind: 'round-started',
      sequence: 12n,
      round,
      timeoutMs: 0,
      quorum: 3,
      heard: [],
      reason: 'timeout',
    })
  return { rounds, start, lines }
}

describe('given a validator whose network decides no block', () => {
  test('when too few validators are there, then the stall is the sentence of the log', () => {
    const { rounds, start, lines } = roundsOf([testAddress(2)])
    start(0)
    expect(rounds.stall()).toBeUndefined()
    rounds.timerStarted({ kind: 'round', sequence: 12n, round: 0 })
    const missing = [testAddress(3), testAddress(4)].map(toHex).join(', ')
    const sentence = `Block 12 waits in round 0: 2 of 4 validators are connected, 3 are needed; not connected: ${missing}`
    expect(rounds.stall()).toBe(sentence)
    expect(lines.join('')).toContain(sentence)
  })

  test('when rounds pass with all of them, then the stall says so from the second round on', () => {
    const { rounds, start, lines } = roundsOf(VALIDATORS)
    start(1)
    expect(rounds.stall()).toBeUndefined()
    start(2)
    const sentence = 'Block 12 is in round 2: no block was decided in the rounds before'
    expect(rounds.stall()).toBe(sentence)
    expect(lines.join('')).toContain(sentence)
  })

  test('when a block is decided, then there is no stall any more', () => {
    const { rounds, start } = roundsOf([])
    start(2)
    rounds.timerStarted({ kind: 'round', sequence: 12n, round: 2 })
    rounds.newHead(VALIDATORS)
    expect(rounds.stall()).toBeUndefined()
  })
})
