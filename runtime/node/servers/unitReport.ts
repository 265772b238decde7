import { onRefusedUnit, type UnitKind } from '../../../handlers/inbound/unitBudget.ts'
import type { Log } from '../../logging/log.ts'

/** Interval between lines of the log about one kind. */
const REPORT_MS = 60_000

/** Names in the log why connections are closed, once a minute for each kind of input. Returns what ends it. */
export const reportRefusedUnits = (log: Log, nowMs: () => number): (() => void) => {
  const reportedMs = new Map<UnitKind, number>()
  onRefusedUnit(kind => {
    const now = nowMs()
    if (now - (reportedMs.get(kind) ?? Number.NEGATIVE_INFINITY) < REPORT_MS) return
    reportedMs.set(kind, now)
    log.warn(
      'Clients without a login send {kind} of a few bytes, more than a tenth of the time of this node can read: the connections of those that go on are closed, so that blocks do not wait. A proxy or a firewall in front keeps such clients away',
      { kind },
    )
  })
  return () => onRefusedUnit(() => undefined)
}
