import { ZERO_ADDRESS, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { QBFT_MIX_HASH } from '../../../core/block/codec/blockHash.ts'
import type { Header } from '../../../core/block/header.ts'

/** A header of block 1 of a QBFT chain whose fields say nothing, but for those given. */
export const plainHeader = (fields: Partial<Header>): Header => ({
  parentHash: ZERO_HASH,
  ommersHash: ZERO_HASH,
  coinbase: ZERO_ADDRESS,
  stateRoot: ZERO_HASH,
  transactionsRoot: ZERO_HASH,
  receiptsRoot: ZERO_HASH,
  logsBloom: new Uint8Array(256),
  difficulty: 1n,
  number: 1n,
  gasLimit: 1n,
  gasUsed: 0n,
  timestamp: 1n,
  extraData: new Uint8Array(0),
  mixHash: QBFT_MIX_HASH,
  nonce: new Uint8Array(8),
  baseFeePerGas: undefined,
  withdrawalsRoot: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
  parentBeaconBlockRoot: undefined,
  requestsHash: undefined,
  ...fields,
})
