import { describe, expect, test } from 'bun:test'
import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { genesisBlock } from '../../../core/genesis/genesisBlock.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import {
  encodePosition,
  POSITION_CODES,
  POSITION_REQUEST,
  POSITIONS_FEATURE,
} from '../../../core/qbft/codec/position.ts'
import type { Effect } from '../../../core/qbft/effect.ts'
import type { RestartRecord } from '../../../core/qbft/restart/restartRecord.ts'
import type { Network, Peer } from '../../../p2p/network.ts'
import { createDroppedMessages } from '../../../runtime/consensus/reports/droppedMessages.ts'
import { createEvidenceStore } from '../../../runtime/consensus/record/evidenceStore.ts'
import { createEffectHandler } from '../../../runtime/consensus/effectHandler.ts'
import { createRecordStore } from '../../../runtime/consensus/record/recordStore.ts'
import { createRoundLog } from '../../../runtime/consensus/reports/roundLog.ts'
import { createTimers } from '../../../runtime/consensus/inputs/timers.ts'
import { createMessageCounters } from '../../../runtime/consensus/reports/messageCounters.ts'
import { configureLog, logOf } from '../../../runtime/logging/log.ts'
import { genesisText, testAddress } from '../genesis.ts'
import { turns } from '../../support/turns.ts'

/** Until what is under way has come to the storage. */
const begun = (): Promise<void> => turns(5)

const peerOf = (key: number, features: readonly string[]): Peer =>
  ({ address: testAddress(key), status: { neighbours: [], features } }) as unknown as Peer

/** An effect handler over a storage whose writes end on request, and a network that records what is sent. */
const setUp = (settled: () => Promise<void> = () => Promise.resolve()) => {
  const lines: string[] = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
  const log = logOf('validator')
  const writes: { readonly bytes: Uint8Array; end(error?: Error): void }[] = []
  const sent: number[] = []
  const blamed: string[] = []
  const recorded: boolean[] = []
  const place = {
    write: (bytes: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ bytes, end: error => (error === undefined ? resolve() : reject(error)) })
      }),
  }
  const kept: { readonly key: string; readonly json: string }[] = []
  const files = {
    has: () => Promise.resolve(false),
    set: async (key: string, json: string) => void kept.push({ key, json }),
    where: (key: string) => key,
  }
  const network: Pick<Network, 'peers' | 'sendConsensus' | 'reportMisbehaviour'> = {
    peers: () => [peerOf(2, [POSITIONS_FEATURE]), peerOf(3, [])],
    sendConsensus: (to, code) => {
      for (const _ of to) sent.push(code)
      return to.length
    },
    reportMisbehaviour: (_address, what) => blamed.push(what),
  }
  const known: string[] = []
  const nothing = () => Promise.resolve()
  const effectHandler = createEffectHandler({
    network: () => network as Network,
    records: createRecordStore(place, settled),
    evidence: createEvidenceStore(files, log),
    timers: createTimers(() => undefined),
    blockExecutor: {
      build: nothing,
      verify: nothing,
      import: ({ isRecorded }) => {
        recorded.push(isRecorded)
        return nothing()
      },
      newHead: () => undefined,
      stop: () => undefined,
    },
    rounds: createRoundLog(log, testAddress(1)),
    droppedMessages: createDroppedMessages(log),
    validators: () => [testAddress(2)],
    raisePeerHead: () => undefined,
    statusKnown: ({ address }) => known.push(toHex(address)),
    recallLog: () => undefined,
    messageCounters: createMessageCounters(),
    log,
  })
  return { effectHandler, writes, kept, sent, known, blamed, recorded, lines, log }
}

const record = (round: number): Effect => ({
  kind: 'record',
  record: {
    sequence: 1n,
    round,
    proposed: undefined,
    prepared: new Uint8Array(32),
    committed: undefined,
    certificate: undefined,
  } satisfies RestartRecord,
})

const send = (code: number): Effect => ({
  kind: 'send',
  message: { code, data: new Uint8Array(1) },
  to: testAddress(2),
})

describe('given what a validator signed is to be recorded', () => {
  test('when the record is not durable yet, then nothing after it has left; when it is, it leaves in order', async () => {
    const { effectHandler, writes, sent } = setUp()
    const performed = effectHandler.perform([record(0), send(1), send(2)])
    await begun()
    expect(sent).toEqual([])
    writes[0]?.end()
    await performed
    expect(sent).toEqual([1, 2])
  })

  test('when the block before is not durable yet, then the record that brings it back stays until it is', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { effectHandler, writes, sent } = setUp(() => promise)
    const performed = effectHandler.perform([record(0), send(1)])
    await begun()
    expect(writes).toEqual([])
    resolve()
    await begun()
    expect(sent).toEqual([])
    writes[0]?.end()
    await performed
    expect(sent).toEqual([1])
  })

  test('when the block before could not be made durable, then nothing is written over its record, and nothing leaves', async () => {
    const { effectHandler, writes, sent, lines } = setUp(() => Promise.reject(new Error('the disk is gone')))
    await effectHandler.perform([record(0), send(1)])
    expect(writes).toEqual([])
    expect(sent).toEqual([])
    expect(lines.join()).toContain(
      'cannot be written, so this validator sends no signatures: the disk is gone',
    )
  })

  test('when the record is the last one again, then nothing is written', async () => {
    const { effectHandler, writes, sent } = setUp()
    const first = effectHandler.perform([record(0), send(1)])
    await begun()
    writes[0]?.end()
    await first
    await effectHandler.perform([record(0), send(2)])
    expect(writes).toHaveLength(1)
    expect(sent).toEqual([1, 2])
  })

  test('when it cannot be written, then no own message leaves until it is, and what others sent is still passed on', async () => {
    const { effectHandler, writes, sent, lines } = setUp()
    const failed = effectHandler.perform([record(0), send(1)])
    await begun()
    writes[0]?.end(new Error('the disk is full'))
    await failed
    expect(sent).toEqual([])
    expect(lines.join()).toContain(
      'cannot be written, so this validator sends no signatures: the disk is full',
    )
    const again = effectHandler.perform([send(2)])
    await begun()
    expect(sent).toEqual([])
    writes[1]?.end()
    await again
    expect(sent).toEqual([2])
  })

  test('when it cannot be written, then a block that is committed must be durable: nothing here brings it back', async () => {
    const { effectHandler, writes, recorded } = setUp()
    const { header } = genesisBlock(parseGenesisText(genesisText()), EMPTY_TRIE_ROOT)
    const block = { header, transactions: [], ommers: [], withdrawals: undefined }
    const hash = new Uint8Array(32)
    const commit: Effect = { kind: 'import-block', block, hash, sealers: [], isRecorded: true }
    const written = effectHandler.perform([record(0), commit])
    await begun()
    writes[0]?.end()
    await written
    const failed = effectHandler.perform([record(1), commit])
    await begun()
    writes[1]?.end(new Error('the disk is full'))
    await failed
    expect(recorded).toEqual([true, false])
  })

  test('when there is nothing to record, then effects are performed at once', () => {
    const { effectHandler, sent } = setUp()
    expect(effectHandler.perform([send(1)])).toBeUndefined()
    expect(sent).toEqual([1])
  })
})

describe('given messages that were not used', () => {
  const dropped = (reason: 'bad-seal' | 'duplicate' | 'undecodable', author?: number): Effect => ({
    kind: 'dropped',
    reason,
    peer: testAddress(2),
    author: author === undefined ? undefined : testAddress(author),
    detail: '',
  })

  test('when only a dishonest peer sends such a message, then the peer is reported', () => {
    const { effectHandler, blamed } = setUp()
    void effectHandler.perform([dropped('bad-seal', 2), dropped('undecodable')])
    expect(blamed).toEqual(['invalid-message', 'invalid-message'])
  })

  test('when another node signed it, or honest peers send such messages too, then the peer is not reported', () => {
    const { effectHandler, blamed } = setUp()
    void effectHandler.perform([dropped('bad-seal', 3), dropped('duplicate', 2)])
    expect(blamed).toEqual([])
  })
})

describe('given a request for the height and round of validators', () => {
  const to = [testAddress(2), testAddress(3), testAddress(4)]

  test('when one runs an earlier release, then it is not asked, and its status counts', () => {
    const { effectHandler, sent, known } = setUp()
    void effectHandler.perform([{ kind: 'inform', message: POSITION_REQUEST, to }])
    expect([sent, known]).toEqual([[POSITION_REQUEST.code], [toHex(testAddress(3))]])
  })

  test('when this validator is asked, then it answers although its own record cannot be written', async () => {
    const { effectHandler, writes, sent } = setUp()
    const failed = effectHandler.perform([record(0)])
    await begun()
    writes[0]?.end(new Error('the disk is full'))
    await failed
    void effectHandler.perform([
      { kind: 'inform', message: encodePosition({ sequence: 1n, round: 0 }), to: to.slice(0, 1) },
    ])
    await begun()
    writes[1]?.end(new Error('the disk is full'))
    await begun()
    expect(sent).toEqual([POSITION_CODES.position])
  })
})

describe('given two signatures that no honest validator gives', () => {
  const evidence = (round: number): Effect => ({
    kind: 'evidence',
    evidence: {
      author: testAddress(3),
      sequence: 7n,
      round,
      first: { code: 0x13, data: Uint8Array.of(1) },
      second: { code: 0x13, data: Uint8Array.of(2) },
    },
  })

  test('then both are logged at error level and kept, once', async () => {
    const { effectHandler, kept, lines } = setUp()
    void effectHandler.perform([evidence(0), evidence(0)])
    void effectHandler.perform([evidence(1)])
    await effectHandler.done()
    expect(kept.map(({ key }) => key)).toEqual(['qbft:evidence:0', 'qbft:evidence:1'])
    expect(JSON.parse(kept[0]?.json ?? '')).toMatchObject({
      sequence: '7',
      round: 0,
      first: { code: 0x13, data: '0x01' },
      second: { code: 0x13, data: '0x02' },
    })
    expect(lines.filter(line => line.includes('ERROR'))).toHaveLength(2)
  })

  test('then the same pair is logged once a minute, and kept once', async () => {
    const { log, lines } = setUp()
    const kept: string[] = []
    let nowMs = 0
    const store = createEvidenceStore(
      {
        has: () => Promise.resolve(false),
        set: async key => void kept.push(key),
        where: key => key,
      },
      log,
      () => nowMs,
    )
    const { evidence: pair } = evidence(0) as Extract<Effect, { readonly kind: 'evidence' }>
    for (const atMs of [0, 1_000, 59_999, 60_000, 61_000, 120_000]) {
      nowMs = atMs
      await store.keep(pair)
    }
    expect(lines.filter(line => line.includes('ERROR'))).toHaveLength(3)
    expect(kept).toEqual(['qbft:evidence:0'])
  })

  test('when the storage fails, then they are logged nevertheless, and the next pair is kept', async () => {
    const { log, lines } = setUp()
    const kept: string[] = []
    let fails = true
    const store = createEvidenceStore(
      {
        has: () => (fails ? Promise.reject(new Error('the disk is gone')) : Promise.resolve(false)),
        set: async key => void kept.push(key),
        where: key => key,
      },
      log,
    )
    const evidenceOf = (round: number) =>
      (evidence(round) as Extract<Effect, { readonly kind: 'evidence' }>).evidence
    await store.keep(evidenceOf(0))
    expect(lines.join()).toContain('the disk is gone')
    expect(lines.join()).toContain('could not be kept')
    fails = false
    await store.keep(evidenceOf(1))
    expect(kept).toEqual(['qbft:evidence:0'])
  })
})
