import { toBareHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { decodeHeader } from '../../../core/block/codec/header.ts'
import { EMPTY_BYTES, equalBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../core/crypto/constants.ts'
import { withRunLimit, type RunLimit } from '../../../core/evm/interpreter/runLimit.ts'
import type { StateReader } from '../../../core/state/account.ts'
import { decodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { createReader } from '../../../core/store/codec/reader.ts'
import { accountCodec } from '../../../core/store/codec/stateValues.ts'
import {
  openSegment,
  type Segment,
  segmentChanges,
  segmentRecord,
} from '../../../core/store/segments/segment.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import { type StoreClient, HeadMoved } from './storeClient.ts'
import { accountPlace, createHeadState, type HeadState, slotPlace } from './headState.ts'
import { refuse } from './refuse.ts'

/** Maximum restarts of one run because of new heads. */
const HEADS_MAX = 8

/** The head at which a call runs, replaced when it restarts. */
export type PinnedHead = { current: ChainHead }

const stateAt = ({ requestCached }: StoreClient, { keyAt }: HeadState, number: bigint): StateReader => ({
  account: address => {
    const bytes = requestCached(keyAt(number, accountPlace(address)), { kind: 'account', number, address })
    return bytes === undefined ? undefined : accountCodec.read(createReader(bytes))
  },
  storage: (address, { incarnation }, slot) => {
    const key = keyAt(number, slotPlace(address, incarnation, slot))
    return requestCached(key, { kind: 'slot', number, address, slot }) ?? ZERO_HASH
  },
  code: codeHash => {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    // The store throws if the code is missing.
    return requestCached(`c${toBareHex(codeHash)}`, { kind: 'code', codeHash }) as Uint8Array
  },
})

/** Reads of one call: what the main thread answers, up to the head of the call. */
type Reads = {
  /** The main thread may have newer blocks; the call does not see them. */
  readonly isOnChain: (number: bigint) => boolean
  readonly segment: (number: bigint) => Segment | undefined
  readonly inSegment: <T>(number: bigint, read: (segment: Segment) => T) => Promise<T | undefined>
}

const createReads = ({ request }: StoreClient, head: PinnedHead): Reads => {
  const isOnChain = (number: bigint): boolean => number >= 0n && number <= head.current.header.number
  const segment = (number: bigint): Segment | undefined => {
    if (!isOnChain(number)) return undefined
    const bytes = request({ kind: 'segment', number })
    return bytes === undefined ? undefined : openSegment(bytes)
  }
  return {
    isOnChain,
    segment,
    inSegment: (number, read) => {
      const found = segment(number)
      return Promise.resolve(found === undefined ? undefined : read(found))
    },
  }
}

/** Runs an execution under `limit`, again at the new head when the head has moved. */
const createRun =
  (head: PinnedHead, limit: RunLimit): ChainStore['run'] =>
  async synchronous => {
    for (let heads = 0; ; heads++) {
      try {
        return withRunLimit(limit, synchronous)
      } catch (error) {
        if (!(error instanceof HeadMoved) || heads === HEADS_MAX) throw error
        head.current = decodeChainHead(error.head)
      }
    }
  }

type BlockReads = Pick<
  ChainStore,
  | 'header'
  | 'record'
  | 'blockBytes'
  | 'changesOf'
  | 'recordBytes'
  | 'numberOfHash'
  | 'transactionLocation'
  | 'recentHash'
  | 'historyStart'
>

const blockReads = (
  { request, requestCached }: StoreClient,
  { isOnChain, inSegment }: Reads,
  head: PinnedHead,
): BlockReads => ({
  header: number => {
    if (!isOnChain(number)) return Promise.resolve(undefined)
    if (number === head.current.header.number) return Promise.resolve(head.current.header)
    const bytes = requestCached(`h${number}`, { kind: 'header', number })
    return Promise.resolve(bytes === undefined ? undefined : decodeHeader(bytes))
  },
  record: number => inSegment(number, segmentRecord),
  blockBytes: number => inSegment(number, ({ block }) => block),
  changesOf: number => inSegment(number, segmentChanges),
  recordBytes: number =>
    Promise.resolve(isOnChain(number) ? request({ kind: 'segment', number }) : undefined),
  numberOfHash: hash => {
    const bytes = request({ kind: 'numberOfHash', hash })
    const number = bytes === undefined ? undefined : bytesToBigint(bytes)
    return Promise.resolve(number !== undefined && isOnChain(number) ? number : undefined)
  },
  transactionLocation: hash => {
    const bytes = request({ kind: 'transaction', hash })
    if (bytes === undefined) return Promise.resolve(undefined)
    const blockNumber = bytesToBigint(bytes.subarray(0, 8))
    const index = Number(bytesToBigint(bytes.subarray(8)))
    return Promise.resolve(isOnChain(blockNumber) ? { blockNumber, index } : undefined)
  },
  historyStart: () => {
    const bytes = request({ kind: 'historyStart' })
    return bytes === undefined ? undefined : bytesToBigint(bytes)
  },
  recentHash: number => requestCached(`r${number}`, { kind: 'recentHash', number }),
})

/** Writes and maintenance belong to the main thread. */
const MAIN_THREAD_ONLY = {
  genesisHash: refuse,
  logsOf: refuse,
  searchLogs: refuse,
  snapshotNodes: refuse,
  prefetch: refuse,
  chainHead: refuse,
  hasRecord: refuse,
  repair: refuse,
  damagedFrom: refuse,
  endedBefore: refuse,
  onDamaged: refuse,
  commit: refuse,
  failure: refuse,
  retry: refuse,
  onFailed: refuse,
  settle: refuse,
  flush: refuse,
  close: refuse,
} satisfies Partial<ChainStore>

/**
 * The chain store of a call worker. Each read is a blocking request to the main thread, so no data is ever reported as
 * not loaded. Executions run under `limit`.
 */
export const createRemoteStore = (client: StoreClient, head: PinnedHead, limit: RunLimit): ChainStore => {
  const reads = createReads(client, head)
  const headState = createHeadState(client.forget, number => {
    const found = reads.segment(number)
    return found === undefined ? undefined : segmentChanges(found)
  })
  const run = createRun(head, limit)
  return {
    ...MAIN_THREAD_ONLY,
    ...blockReads(client, reads, head),
    head: () => head.current,
    stateAt: number => {
      if (number === head.current.header.number) headState.moveTo(number)
      return stateAt(client, headState, number)
    },
    nodes: () => {
      const { number } = head.current.header
      return {
        get: key => client.requestCached(`${number}n${key}`, { kind: 'node', key, head: number }),
      }
    },
    run,
    runAtOnce: run,
  }
}
