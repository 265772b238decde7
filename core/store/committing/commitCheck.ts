import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'
import type { BlockCommit, ChainHead } from '../store.ts'

/** @throws CommitRefused when the block does not follow the head or is incomplete */
export const checkCommit = (head: ChainHead | undefined, { block, receipts, senders }: BlockCommit): void => {
  const { number, parentHash } = block.header
  const next = head === undefined ? 0n : head.header.number + 1n
  if (number !== next) throw new CommitRefused(`block ${number} is not the next one, ${next}`)
  if (head !== undefined && !equalBytes(parentHash, head.hash))
    throw new CommitRefused(`block ${number} does not follow the head ${toHex(head.hash)}`)
  if (receipts.length !== block.transactions.length || senders.length !== block.transactions.length)
    throw new CommitRefused(`block ${number} needs a receipt and a sender for each transaction`)
}

/** The commit does not follow the chain; nothing was written. */
export class CommitRefused extends Error {
  override readonly name = 'CommitRefused'
  readonly code = 'COMMIT_REFUSED'
}
