import { toBareHex } from '../../../core/bytes/hex.ts'
import { bytesToBigint } from '../../../core/bytes/integer.ts'
import { decodeHeader } from '../../../core/chain/codec/header.ts'
import { EMPTY_BYTES, equalBytes, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../core/crypto/constants.ts'
import { withWatch, type Watch } from '../../../core/evm/watch.ts'
import type { StateReader } from '../../../core/state/account.ts'
import { decodeChainHead } from '../../../core/store/codec/chainHead.ts'
import { createReader } from '../../../core/store/codec/reader.ts'
import { accountCodec } from '../../../core/store/codec/stateValues.ts'
import { openSegment, type Segment, segmentChanges, segmentRecord } from '../../../core/store/segment.ts'
import type { ChainHead, ChainStore } from '../../../core/store/store.ts'
import { type Asker, HeadMoved } from './asker.ts'
import { accountPlace, createHeadState, type HeadState, slotPlace } from './headState.ts'
import { refuse } from './refuse.ts'

/** New heads that one run follows: it begins again with each. */
const HEADS_MAX = 8

/** The head at which a call runs. */
export type PinnedHead = { current: ChainHead }

const stateAt = ({ askOnce }: Asker, { keyAt }: HeadState, number: bigint): StateReader => ({
  account: address => {
    const bytes = askOnce(keyAt(number, accountPlace(address)), { kind: 'account', number, address })
    return bytes === undefined ? undefined : accountCodec.read(createReader(bytes))
  },
  storage: (address, { incarnation }, slot) => {
    const key = keyAt(number, slotPlace(address, incarnation, slot))
    return askOnce(key, { kind: 'slot', number, address, slot }) ?? ZERO_HASH
  },
  code: codeHash => {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    // The store throws where it is missing.
    return askOnce(`c${toBareHex(codeHash)}`, { kind: 'code', codeHash }) as Uint8Array
  },
})

/**
 * The chain's store as a reader sees it: everything is asked of the main thread, so each read blocks this one until the
 * answer is here, and none is missing. What runs in it is watched.
 */
export const createAskedStore = (asker: Asker, head: PinnedHead, watch: Watch): ChainStore => {
  const { ask, askOnce } = asker
  /** The main thread may have more blocks by now: to the call they are not there yet. */
  const onChain = (number: bigint): boolean => number >= 0n && number <= head.current.header.number
  const segment = (number: bigint): Segment | undefined => {
    if (!onChain(number)) return undefined
    const bytes = ask({ kind: 'segment', number })
    return bytes === undefined ? undefined : openSegment(bytes)
  }
  const inSegment = <T>(number: bigint, read: (found: Segment) => T): Promise<T | undefined> => {
    const found = segment(number)
    return Promise.resolve(found === undefined ? undefined : read(found))
  }
  const headState = createHeadState(asker.forget, number => {
    const found = segment(number)
    return found === undefined ? undefined : segmentChanges(found)
  })
  const run = async <T>(synchronous: () => T): Promise<T> => {
    for (let heads = 0; ; heads++) {
      try {
        return withWatch(watch, synchronous)
      } catch (error) {
        if (!(error instanceof HeadMoved) || heads === HEADS_MAX) throw error
        head.current = decodeChainHead(error.head)
      }
    }
  }

  return {
    head: () => head.current,
    header: number => {
      if (!onChain(number)) return Promise.resolve(undefined)
      if (number === head.current.header.number) return Promise.resolve(head.current.header)
      const bytes = askOnce(`h${number}`, { kind: 'header', number })
      return Promise.resolve(bytes === undefined ? undefined : decodeHeader(bytes))
    },
    record: number => inSegment(number, segmentRecord),
    blockBytes: number => inSegment(number, ({ block }) => block),
    changesOf: number => inSegment(number, segmentChanges),
    recordBytes: number => Promise.resolve(onChain(number) ? ask({ kind: 'segment', number }) : undefined),
    numberOfHash: hash => {
      const bytes = ask({ kind: 'numberOfHash', hash })
      const number = bytes === undefined ? undefined : bytesToBigint(bytes)
      return Promise.resolve(number !== undefined && onChain(number) ? number : undefined)
    },
    transactionLocation: hash => {
      const bytes = ask({ kind: 'transaction', hash })
      if (bytes === undefined) return Promise.resolve(undefined)
      const blockNumber = bytesToBigint(bytes.subarray(0, 8))
      const index = Number(bytesToBigint(bytes.subarray(8)))
      return Promise.resolve(onChain(blockNumber) ? { blockNumber, index } : undefined)
    },
    recentHash: number => askOnce(`r${number}`, { kind: 'recentHash', number }),
    stateAt: number => {
      if (number === head.current.header.number) headState.moveTo(number)
      return stateAt(asker, headState, number)
    },
    nodes: () => {
      const { number } = head.current.header
      return { get: key => askOnce(`${number}n${key}`, { kind: 'node', key, head: number }) }
    },
    run,
    runAtOnce: run,
    // Of no use to what only reads, or work for the main thread.
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
  }
}
