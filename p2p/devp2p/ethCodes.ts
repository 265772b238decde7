/** Messages of eth/66, eth/68 and eth/69 (eth.md); codes count from the protocol's offset. */
export const ETH = {
  status: 0x00,
  newBlockHashes: 0x01,
  transactions: 0x02,
  getBlockHeaders: 0x03,
  blockHeaders: 0x04,
  getBlockBodies: 0x05,
  blockBodies: 0x06,
  newBlock: 0x07,
  newPooledTransactionHashes: 0x08,
  getPooledTransactions: 0x09,
  pooledTransactions: 0x0a,
  getNodeData: 0x0d,
  nodeData: 0x0e,
  getReceipts: 0x0f,
  receipts: 0x10,
  /** eth/69 only. */
  blockRangeUpdate: 0x11,
} as const

/** Messages that answer a request. */
export const ANSWER_CODES: ReadonlySet<number> = new Set([
  ETH.blockHeaders,
  ETH.blockBodies,
  ETH.pooledTransactions,
  ETH.nodeData,
  ETH.receipts,
])
