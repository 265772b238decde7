import type { Effect } from './effect.ts'
import type { HeightState, QbftState } from './state.ts'

/** Proposals and prepares alone are new, in a round that a durable record stands for already. */
const isCovered = (before: HeightState, now: HeightState): boolean =>
  before.signed.reserved &&
  before.signed.round === now.signed.round &&
  before.signed.committed === now.signed.committed &&
  before.certificate === now.certificate

/**
 * The effects of a transition, with the restart record before all others when anything was signed or locked: it must be
 * written before a signature leaves. A lone validator needs none: its signatures go nowhere but into the block.
 */
export const recorded = (
  before: QbftState,
  { height }: QbftState,
  effects: readonly Effect[],
): readonly Effect[] => {
  if (height === undefined || !height.active || height.head.validators.length === 1) return effects
  const { signed, certificate } = height
  const old = before.height?.sequence === height.sequence ? before.height : undefined
  const isOld = old?.signed === signed && old.certificate === certificate
  const { round, reserved, proposed, prepared } = signed
  const isNew = round > 0 || reserved || proposed !== undefined || prepared !== undefined
  if (isOld || !isNew) return effects
  const durable = old === undefined || !isCovered(old, height)
  return [{ kind: 'record', record: { ...signed, certificate }, durable }, ...effects]
}
