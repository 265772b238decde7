import { listOption, type OptionTable } from '../option.ts'

/** Copies of the chain that readers share. */
export const REPLICA_OPTIONS = {
  replicateTo: listOption({
    name: 'replicate-to',
    group: 'Node',
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: storages => storages,
    description:
      'Stores that get a copy of each block for readers to share: redis?url=..., postgresql?url=..., http?url=...&secret=..., s3?url=...',
  }),
} satisfies OptionTable
