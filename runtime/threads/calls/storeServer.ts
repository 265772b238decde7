import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { encodeHeader } from '../../../core/block/codec/header.ts'
import { accountCodec } from '../../../core/store/codec/stateValues.ts'
import { HistoryPruned } from '../../../core/store/historyPruned.ts'
import { createWriter } from '../../../core/store/codec/writer.ts'
import { type Answer, found, NOTHING } from './answerBuffer.ts'
import type { PinnedTrie } from './pinnedTrie.ts'
import type { StoreRequest } from './protocol.ts'
import { encodePruned } from './pruned.ts'

const writer = createWriter()

const read = async (chain: Chain, pinned: PinnedTrie, request: StoreRequest): Promise<Answer> => {
  const { store } = chain
  switch (request.kind) {
    case 'account':
      return await store.run(() => {
        const account = store.stateAt(request.number).account(request.address)
        if (account === undefined) return NOTHING
        writer.reset()
        accountCodec.write(writer, account)
        return found(writer.finish())
      })
    case 'slot':
      return await store.run(() => {
        const state = store.stateAt(request.number)
        const account = state.account(request.address)
        return account === undefined ? NOTHING : found(state.storage(request.address, account, request.slot))
      })
    case 'code':
      return await store.run(() => found(store.stateAt(chain.head().header.number).code(request.codeHash)))
    case 'header': {
      const header = await store.header(request.number)
      return header === undefined ? NOTHING : found(encodeHeader(header))
    }
    case 'segment':
      return found(await store.recordBytes(request.number))
    case 'historyStart': {
      const start = store.historyStart?.()
      return start === undefined ? NOTHING : found(bigintToFixedBytes(start, 8))
    }
    case 'recentHash':
      return found(store.recentHash(request.number))
    case 'numberOfHash': {
      const number = await store.numberOfHash(request.hash)
      return number === undefined ? NOTHING : found(bigintToFixedBytes(number, 8))
    }
    case 'transaction': {
      const location = await store.transactionLocation(request.hash)
      if (location === undefined) return NOTHING
      return found(bigintToFixedBytes((location.blockNumber << 32n) | BigInt(location.index), 12))
    }
    case 'node':
      return await store.run(() => pinned.read(request))
  }
}

const encoder = new TextEncoder()

/** Reads the requested data from the store. Errors become answers, because the worker blocks until one arrives. */
export const answerStoreRequest = async (
  chain: Chain,
  pinned: PinnedTrie,
  request: StoreRequest,
): Promise<Answer> => {
  try {
    return await read(chain, pinned, request)
  } catch (error) {
    if (error instanceof HistoryPruned) return { kind: 'pruned', bytes: encodePruned(error) }
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { kind: 'failed', bytes: encoder.encode(text) }
  }
}
