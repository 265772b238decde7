import type { Hash } from '../../core/bytes/bytes.ts'
import { toBareHex } from '../../core/bytes/hex.ts'

/** Shared by all chains, so that nodes of different chains can tell each other why they disconnect. */
export const STATUS_PROTOCOL = '/quorate/status/1'

export type Protocols = Readonly<
  Record<'consensus' | 'blocks' | 'ranges' | 'records' | 'peers' | 'transactions' | 'pool', string>
>

/** The protocols of one chain. Their names contain its genesis hash, which separates the chains. */
export const protocolsOf = (genesisHash: Hash): Protocols => {
  const name = (what: string): string => `/quorate/${toBareHex(genesisHash)}/${what}/1`
  return {
    consensus: name('consensus'),
    blocks: name('blocks'),
    ranges: name('ranges'),
    records: name('records'),
    peers: name('peers'),
    transactions: name('transactions'),
    pool: name('pool'),
  }
}
