import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromHex } from '../../../../core/bytes/hex.ts'
import type { Chain } from '../../../../core/chain/chain.ts'
import { openChain } from '../../../../core/chain/opening/openChain.ts'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../../../core/store/chainStore.ts'
import { openStorage } from '../../../../runtime/drivers/open.ts'
import type { Devp2pTranscript, RecordedKind } from './transcript.ts'

const SUFFIX = '.json'
/** The names of all transcripts, such as besu-69: the client, and the agreed version of eth. */
export const NAMES = readdirSync(import.meta.dirname)
  .filter(name => name.endsWith(SUFFIX))
  .map(name => name.slice(0, -SUFFIX.length))

/** A transcript with its bytes. */
export const readTranscript = (name: string) => {
  const text = readFileSync(join(import.meta.dirname, name + SUFFIX), 'utf8')
  const { eth, genesis, frames } = JSON.parse(text) as Devp2pTranscript
  return {
    eth,
    genesis: parseGenesisText(genesis),
    all: (kind: RecordedKind): readonly Uint8Array[] => (frames[kind] ?? []).map(frame => fromHex(frame)),
    one: (kind: RecordedKind): Uint8Array => fromHex(frames[kind]?.[0] as string),
  }
}

export type Read = ReturnType<typeof readTranscript>

/** The chain of the transcript's genesis file. */
export const openMemoryChain = async ({ genesis }: Read): Promise<Chain> => {
  const store = await openChainStore(await openStorage('memory', ''))
  const onError = (error: unknown): never => {
    throw error
  }
  return openChain({ genesis, store, onError })
}
