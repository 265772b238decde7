import type { Meters } from './registry.ts'

/** Checks since the start, by their outcome. */
export type PermissionCounts = { readonly permitted: number; readonly unpermitted: number }

/** Metrics of a permission list. */
export const addPermissionMetrics = (
  meters: Meters,
  subject: 'account' | 'node',
  counts: () => PermissionCounts,
): void =>
  meters.onCollect(() => {
    const { permitted, unpermitted } = counts()
    const checks = `besu_permissioning_${subject}_local_check_count`
    meters.total(`${checks}_total`, permitted + unpermitted)
    meters.total(`${checks}_permitted_total`, permitted)
    meters.total(`${checks}_unpermitted_total`, unpermitted)
  })
