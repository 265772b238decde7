import type { Hash } from '../core/bytes/bytes.ts'
import { toBareHex } from '../core/bytes/hex.ts'

/** Spoken by all chains, so that nodes of different ones can tell each other why they part. */
export const STATUS_PROTOCOL = '/quorate/status/1'

export type Protocols = Readonly<
  Record<'consensus' | 'blocks' | 'ranges' | 'peers' | 'transactions' | 'pool', string>
>

/** The protocols of one chain: their names hold its genesis hash, so that chains cannot be mixed up. */
export const protocolsOf = (genesisHash: Hash): Protocols => {
  const name = (what: string): string => `/quorate/${toBareHex(genesisHash)}/${what}/1`
  return {
    consensus: name('consensus'),
    blocks: name('blocks'),
    ranges: name('ranges'),
    peers: name('peers'),
    transactions: name('transactions'),
    pool: name('pool'),
  }
}
