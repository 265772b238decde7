import type { Effect } from './effect.ts'
import type { QbftState } from './state.ts'

/**
 * The effects of a transition, with the restart record before all others when anything was signed or locked: it must be
 * durable before a signature leaves. A lone validator needs none: its signatures go nowhere but into the block.
 */
export const recorded = (
  before: QbftState,
  { height }: QbftState,
  effects: readonly Effect[],
): readonly Effect[] => {
  if (height === undefined || !height.active || height.head.validators.length === 1) return effects
  const { signed, certificate } = height
  const old = before.height
  const isOld = old?.sequence === height.sequence && old.signed === signed && old.certificate === certificate
  const isNew = signed.round > 0 || signed.proposed !== undefined || signed.prepared !== undefined
  if (isOld || !isNew) return effects
  return [{ kind: 'record', record: { ...signed, certificate } }, ...effects]
}
