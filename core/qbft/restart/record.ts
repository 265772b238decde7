import type { Effect } from '../effect.ts'
import type { QbftState } from '../state.ts'

/** True for effects that send no signature and may run while the record is written. */
const isWork = ({ kind }: Effect): boolean => kind === 'verify-block'

/**
 * Inserts the restart record before the effects of a transition that signed a message or locked a block, because the record
 * must be durable before a signature is sent. Only block verification starts before it. A single validator needs no record,
 * because its signatures are only in the block.
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
