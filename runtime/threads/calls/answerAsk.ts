import { bigintToFixedBytes } from '../../../core/bytes/integer.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { encodeHeader } from '../../../core/chain/codec/header.ts'
import { accountCodec } from '../../../core/store/codec/stateValues.ts'
import { createWriter } from '../../../core/store/codec/writer.ts'
import { type Answer, found, NOTHING } from './answerBuffer.ts'
import type { PinnedTrie } from './pinnedTrie.ts'
import type { Ask } from './protocol.ts'

const writer = createWriter()

const read = async (chain: Chain, pinned: PinnedTrie, ask: Ask): Promise<Answer> => {
  const { store } = chain
  switch (ask.kind) {
    case 'account':
      return await store.run(() => {
        const account = store.stateAt(ask.number).account(ask.address)
        if (account === undefined) return NOTHING
        writer.reset()
        accountCodec.write(writer, account)
        return found(writer.finish())
      })
    case 'slot':
      return await store.run(() => {
        const state = store.stateAt(ask.number)
        const account = state.account(ask.address)
        return account === undefined ? NOTHING : found(state.storage(ask.address, account, ask.slot))
      })
    case 'code':
      return await store.run(() => found(store.stateAt(chain.head().header.number).code(ask.codeHash)))
    case 'header': {
      const header = await store.header(ask.number)
      return header === undefined ? NOTHING : found(encodeHeader(header))
    }
    case 'segment':
      return found(await store.recordBytes(ask.number))
    case 'recentHash':
      return found(store.recentHash(ask.number))
    case 'numberOfHash': {
      const number = await store.numberOfHash(ask.hash)
      return number === undefined ? NOTHING : found(bigintToFixedBytes(number, 8))
    }
    case 'transaction': {
      const location = await store.transactionLocation(ask.hash)
      if (location === undefined) return NOTHING
      return found(bigintToFixedBytes((location.blockNumber << 32n) | BigInt(location.index), 12))
    }
    case 'node':
      return await store.run(() => pinned.read(ask))
  }
}

const encoder = new TextEncoder()

/** What the store has of it. What goes wrong is an answer too: whoever asked is waiting. */
export const answerAsk = async (chain: Chain, pinned: PinnedTrie, ask: Ask): Promise<Answer> => {
  try {
    return await read(chain, pinned, ask)
  } catch (error) {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return { kind: 'failed', bytes: encoder.encode(text) }
  }
}
