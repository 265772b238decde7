import { EMPTY_TRIE_ROOT } from '../../../core/crypto/constants.ts'
import { updateStateRoot } from '../../../core/trie/state/stateRoot.ts'
import { createStateModel } from './blocks.ts'
import { createRecords } from './support.ts'

/** A state of `size` changes to an empty one, with its records, and what it holds. */
export const builtState = (seed: number, size: number) => {
  const model = createStateModel(seed, size)
  const records = createRecords()
  const update = updateStateRoot(records, EMPTY_TRIE_ROOT, model.nextChanges(size))
  records.write(update.nodes)
  model.apply(update.changes)
  return { model, records, root: update.root, held: [...model.accounts.values()] }
}
