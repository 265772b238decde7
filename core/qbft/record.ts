import type { Effect } from './effect.ts'
import type { QbftState } from './state.ts'

/** What reveals no signature, and may take as long as the disk does. */
const isWork = ({ kind }: Effect): boolean => kind === 'verify-block'

/**
 * The effects of a transition, with the restart record before them when anything was signed or locked: it must be durable
 * before a signature leaves. Only verifying a block begins before it, and goes on meanwhile. A lone validator needs none: its
 * signatures go nowhere but into the block.
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
  return [
    ...effects.filter(isWork),
    { kind: 'record', record: { ...signed, certificate } },
    ...effects.filter(effect => !isWork(effect)),
  ]
}
