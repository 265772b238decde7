import type { HistorySettings } from '../../../../core/store/pruning/removal.ts'
import { createRest } from './rest.ts'

/** How the store removes old history; undefined to keep all. */
export const historySettings = (pruneHistory: number | undefined): HistorySettings | undefined =>
  pruneHistory === undefined ? undefined : { blocks: pruneHistory, rest: createRest() }
