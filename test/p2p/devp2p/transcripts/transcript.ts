/** Kinds of messages of a transcript; those of eth are called as in eth.md. */
export type RecordedKind =
  | 'hello'
  | 'status'
  | 'newBlockHashes'
  | 'transactions'
  | 'getBlockHeaders'
  | 'blockHeaders'
  | 'blockBodies'
  | 'newBlock'
  | 'newPooledTransactionHashes'
  | 'pooledTransactions'
  | 'receipts'
  | 'blockRangeUpdate'
  | 'proposal'
  | 'prepare'
  | 'commit'
  | 'round-change'

/** What three live validators of another client sent to the fourth one, which was a recorder. */
export type Devp2pTranscript = {
  /** The version of eth that was agreed. */
  readonly eth: 66 | 68 | 69
  /** Text of the genesis file. */
  readonly genesis: string
  /** Payloads in hex, inflated, in their order. */
  readonly frames: Readonly<Partial<Record<RecordedKind, readonly string[]>>>
}
