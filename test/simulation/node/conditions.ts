/** What makes a machine slow or fail; changed while faults last. Milliseconds, and shares of all attempts. */
export type Conditions = {
  /** Of a record. */
  readonly syncMs: readonly [min: number, max: number]
  readonly blockSyncMs: readonly [min: number, max: number]
  readonly buildMs: readonly [min: number, max: number]
  readonly verifyMs: readonly [min: number, max: number]
  readonly signFails: number
  readonly buildFails: number
  readonly importFails: number
}

export const HEALTHY: Conditions = {
  syncMs: [0, 5],
  blockSyncMs: [0, 5],
  buildMs: [1, 20],
  verifyMs: [1, 20],
  signFails: 0,
  buildFails: 0,
  importFails: 0,
}
