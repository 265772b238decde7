import type { Meters } from './registry.ts'

/** Checks of accounts since the start. */
export type PermissionCounts = { readonly permitted: number; readonly unpermitted: number }

const CHECKS = 'besu_permissioning_account_local_check_count'

/** Metrics of the permission lists. */
export const addPermissionMetrics = (meters: Meters, counts: () => PermissionCounts): void =>
  meters.onCollect(() => {
    const { permitted, unpermitted } = counts()
    meters.total(`${CHECKS}_total`, permitted + unpermitted)
    meters.total(`${CHECKS}_permitted_total`, permitted)
    meters.total(`${CHECKS}_unpermitted_total`, unpermitted)
  })
