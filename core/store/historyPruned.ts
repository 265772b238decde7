/** A read of a block, or of a state, that was removed because only the last blocks are kept (`--prune-history`). */
export class HistoryPruned extends Error {
  override readonly name = 'HistoryPruned'
  readonly code = 'HISTORY_PRUNED'
  readonly what: 'block' | 'state'
  readonly number: number
  /** The first block that is kept. */
  readonly historyStart: number
  constructor(what: 'block' | 'state', number: number, historyStart: number) {
    super(
      `${what === 'block' ? 'the content of' : 'the state after'} block ${number} was removed: this node keeps its history from block ${historyStart} on (--prune-history)`,
    )
    this.what = what
    this.number = number
    this.historyStart = historyStart
  }
}

/** The part of a chain's memory that tells what is kept. */
type Kept = { readonly historyStart: number }

/** True for a block whose record is kept: the genesis block, and those from the start of the history on. */
export const isBlockKept = ({ historyStart }: Kept, number: number): boolean =>
  number >= historyStart || number === 0

/** @throws HistoryPruned */
export const requireBlockKept = (kept: Kept, number: number): void => {
  if (!isBlockKept(kept, number)) throw new HistoryPruned('block', number, kept.historyStart)
}

/** The state before the first kept block is known, because that block has the values before its changes. @throws HistoryPruned */
export const requireStateKept = ({ historyStart }: Kept, number: number): void => {
  if (number + 1 < historyStart) throw new HistoryPruned('state', number, historyStart)
}
