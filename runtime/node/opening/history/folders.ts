import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomically } from '../../../files/atomic.ts'
import { CHAIN_FOLDER } from '../../../drivers/open.ts'

/*
 * A pruned chain cannot be completed in place: the states of its first blocks follow from the genesis block only. A whole chain
 * is therefore built in a folder beside it, and takes its place at a start.
 */

/** The data path, in the data path of the node, of the whole chain that is being built. */
const WHOLE_FOLDER = 'whole-history'
/** The pruned chain while the whole one takes its place. */
const REPLACED_FOLDER = 'chain-replaced'
/** A whole chain while it is removed, so that a part of it is never taken for one. */
const REMOVED_FOLDER = 'whole-history-removed'
/** In the folder of the whole chain when it may take that place. */
const COMPLETE_FILE = 'complete'

export const wholePath = (dataPath: string): string => join(dataPath, WHOLE_FOLDER)

const completePath = (dataPath: string): string => join(wholePath(dataPath), COMPLETE_FILE)

export const isWholeComplete = (dataPath: string): boolean => existsSync(completePath(dataPath))

/** True where a complete whole chain waits beside the pruned one. */
export const isWholeWaiting = (dataPath: string): boolean =>
  isWholeComplete(dataPath) &&
  [wholePath(dataPath), dataPath].every(path => existsSync(join(path, CHAIN_FOLDER)))

/** To be called when the whole chain has the blocks of the pruned one; later ones are copied at the start that takes it. */
export const markWholeComplete = (dataPath: string): void => writeFileAtomically(completePath(dataPath), '')

const remove = (path: string): void => rmSync(path, { recursive: true, force: true })

/** Removes a whole chain that is not wanted any more. */
export const removeWhole = (dataPath: string): void => {
  const removed = join(dataPath, REMOVED_FOLDER)
  remove(removed)
  if (!existsSync(wholePath(dataPath))) return
  renameSync(wholePath(dataPath), removed)
  remove(removed)
}

/**
 * Puts a complete whole chain in the place of the pruned one; the next start continues after a stop at any step. Only called
 * while the data path is locked and the chain is closed. Returns true when it did.
 */
export const takeWhole = (dataPath: string): boolean => {
  remove(join(dataPath, REMOVED_FOLDER))
  const chain = join(dataPath, CHAIN_FOLDER)
  const replaced = join(dataPath, REPLACED_FOLDER)
  const whole = join(wholePath(dataPath), CHAIN_FOLDER)
  const isComplete = isWholeComplete(dataPath)
  // Only complete folders are renamed: the pruned chain goes when the whole one has its name.
  if (isComplete && existsSync(whole)) {
    if (existsSync(chain)) {
      remove(replaced)
      renameSync(chain, replaced)
    }
    renameSync(whole, chain)
  }
  if (isComplete) removeWhole(dataPath)
  if (existsSync(replaced) && existsSync(chain)) remove(replaced)
  return isComplete
}
