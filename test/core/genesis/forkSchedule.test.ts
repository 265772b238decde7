import { describe, expect, test } from 'bun:test'
import type { Rules } from '../../../core/genesis/configuration.ts'
import { parseGenesis } from '../../../core/genesis/parse/parse.ts'
import { rulesAt } from '../../../core/genesis/forkSchedule.ts'
import { qbftAt, type QbftConsensus, validatorOverrideAt } from '../../../core/genesis/qbftSchedule.ts'
import { withConfig, withoutQbft, withTransitions } from './genesisFiles.ts'

const configurationOf = (file: unknown) => parseGenesis(file).configuration

describe('given rules', () => {
  const configuration = configurationOf(
    withConfig({
      berlinBlock: 0,
      londonBlock: 5,
      shanghaiTime: 100,
      cancunTime: 200,
      osakaTime: 300,
      bpo1Time: 300,
      bpo2Time: 400,
    }),
  )
  const at = (number: bigint, timestamp: bigint): Rules => rulesAt(configuration, number, timestamp)

  test('when forks are by number and time, then number comes first', () => {
    expect(at(0n, 0n).fork).toBe('berlin')
    expect(at(4n, 99n).fork).toBe('berlin')
    expect(at(5n, 99n).fork).toBe('london')
    expect(at(6n, 100n).fork).toBe('shanghai')
    expect(at(7n, 200n).fork).toBe('cancun')
    expect(at(7n, 299n).fork).toBe('cancun')
    expect(at(8n, 300n).fork).toBe('osaka')
  })

  test('when a fork is by time, then it includes the earlier ones by block', () => {
    expect(at(1n, 100n).fork).toBe('shanghai')
  })

  test('when Cancun is active, then they have blob parameters, and blob-only forks change nothing else', () => {
    expect(at(6n, 100n).blob).toBeUndefined()
    expect(at(6n, 200n).blob).toEqual({ targetBlobs: 3, maxBlobs: 6, baseFeeUpdateFraction: 3_338_477n })
    expect(at(6n, 300n)).toMatchObject({ fork: 'osaka', blob: { targetBlobs: 10, maxBlobs: 15 } })
    expect(at(6n, 400n)).toMatchObject({ fork: 'osaka', blob: { targetBlobs: 14, maxBlobs: 21 } })
  })

  test('when the step is the same, then the object is the same', () => {
    expect(at(5n, 0n)).toBe(at(99n, 50n))
    expect(at(6n, 100n)).not.toBe(at(6n, 200n))
  })

  test('when the file names no fork, then they begin with Frontier', () => {
    expect(rulesAt(configurationOf(withoutQbft({ ethash: {} })), 0n, 0n, 131_072n).fork).toBe('frontier')
  })

  test('when they are read, then they have chain id and limits', () => {
    const limited = configurationOf(withConfig({ chainid: 7, contractSizeLimit: 99_999, evmStackSize: 2048 }))
    expect(rulesAt(limited, 0n, 0n)).toMatchObject({ chainId: 7n, codeSizeMax: 99_999, stackItemsMax: 2048 })
    expect(at(0n, 0n)).toMatchObject({ chainId: 1337n, codeSizeMax: 24_576, stackItemsMax: 1024 })
  })
})

describe('given the end of proof of work', () => {
  const forks = { ethash: {}, londonBlock: 2, terminalTotalDifficulty: 1000, shanghaiTime: 100 }

  test('when a block is read, then its difficulty shows it', () => {
    const configuration = configurationOf(withoutQbft(forks))
    expect(rulesAt(configuration, 5n, 50n, 131_072n).fork).toBe('london')
    expect(rulesAt(configuration, 5n, 50n, 0n).fork).toBe('paris')
    expect(rulesAt(configuration, 5n, 50n, 0n)).toBe(rulesAt(configuration, 6n, 60n, 0n))
    expect(rulesAt(configuration, 6n, 100n, 0n).fork).toBe('shanghai')
  })

  test('when the difficulty is unknown, then mergeNetsplitBlock shows it', () => {
    const configuration = configurationOf(withoutQbft({ ...forks, mergeNetsplitBlock: 10 }))
    expect(rulesAt(configuration, 9n, 50n).fork).toBe('london')
    expect(rulesAt(configuration, 10n, 50n).fork).toBe('paris')
    expect(rulesAt(configuration, 9n, 50n, 0n).fork).toBe('paris')
    expect(rulesAt(configuration, 10n, 50n, 131_072n).fork).toBe('london')
  })

  test('when the chain is QBFT, then it has no meaning', () => {
    const configuration = configurationOf(withConfig({ londonBlock: 0 }))
    expect(rulesAt(configuration, 5n, 50n, 0n).fork).toBe('london')
    const merged = configurationOf(withConfig({ londonBlock: 0, mergeNetSplitBlock: 3 }))
    expect(rulesAt(merged, 3n, 50n, 1n).fork).toBe('paris')
  })
})

describe('given QBFT options', () => {
  const validators = [`0x${'11'.repeat(20)}`]
  const consensus = configurationOf(
    withTransitions({ block: 20, blockperiodseconds: 9 }, { block: 10, blockperiodseconds: 7, validators }),
  ).consensus as QbftConsensus

  test('when a block is named, then they are those of the last transition at or below it', () => {
    const periods = [0n, 9n, 10n, 19n, 20n, 1000n].map(
      block => qbftAt(consensus, block, 0n).blockPeriodSeconds,
    )
    expect(periods).toEqual([5, 5, 7, 7, 9, 9])
  })

  test('when a transition sets validators, then it does at exactly its block', () => {
    const set = [9n, 10n, 11n, 20n].map(block => validatorOverrideAt(consensus, block)?.length)
    expect(set).toEqual([undefined, 1, undefined, undefined])
  })
})
