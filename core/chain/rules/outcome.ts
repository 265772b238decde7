import type { Block } from '../../block/block.ts'
import type { ExecutionResult } from '../execution/execution.ts'
import { requireSameBytes, requireSameNumber } from './invalidBlock.ts'

/**
 * Compares the fields of a block's header that depend on execution with the result; the most informative fields come first.
 * @throws InvalidBlock
 */
export const checkOutcome = ({ header }: Pick<Block, 'header'>, result: ExecutionResult): void => {
  requireSameNumber(header, 'gas-used', result.gasUsed, header.gasUsed)
  requireSameNumber(header, 'blob-gas-used', result.blobGasUsed, header.blobGasUsed ?? 0n)
  requireSameBytes(header, 'receipts-root', result.receiptsRoot, header.receiptsRoot)
  requireSameBytes(header, 'logs-bloom', result.logsBloom, header.logsBloom)
  if (header.requestsHash !== undefined && result.requestsHash !== undefined)
    requireSameBytes(header, 'requests-hash', result.requestsHash, header.requestsHash)
  requireSameBytes(header, 'state-root', result.stateRoot, header.stateRoot)
}
