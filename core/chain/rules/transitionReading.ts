import { decodeExtraData } from '../../block/codec/extraData.ts'
import type { ChainConfiguration } from '../../genesis/configuration.ts'
import { type OtherReading, otherReadingAt } from '../../genesis/parse/besuTransitions.ts'
import type { HeaderContext } from './context.ts'
import { InvalidBlock, type RuleName } from './invalidBlock.ts'

/** The rules that a block breaks when its maker reads the transitions of the genesis file otherwise. */
const SYMPTOMS: readonly RuleName[] = [
  'validators',
  'vote-in-contract-mode',
  'coinbase-validator',
  'seal-signer',
  'seal-quorum',
  'timestamp-spacing',
  'transaction',
  'gas-used',
  'receipts-root',
  'state-root',
]

type Checked = Pick<HeaderContext, 'configuration' | 'header' | 'parent'>

/** Checks the block by all rules under another configuration. @throws InvalidBlock */
type CheckAgain = (configuration: ChainConfiguration) => Promise<unknown>

/** True when the block is valid by the other reading, or names its validators as that one says. */
const isMadeBy = async ({ header }: Checked, other: OtherReading, check: CheckAgain): Promise<boolean> => {
  if (other.listsValidators !== undefined)
    return other.listsValidators === decodeExtraData(header.extraData).validators.length > 0
  try {
    await check(other.configuration)
    return true
  } catch (error) {
    if (error instanceof InvalidBlock) return false
    throw error
  }
}

/**
 * The error that names the transition where the block's maker read the genesis file as another client does, which the field
 * that differs does not tell; otherwise the error itself. A block of which this may be true is checked a second time.
 */
export const withTransition = async (
  context: Checked,
  error: unknown,
  check: CheckAgain,
): Promise<unknown> => {
  const { configuration, header, parent } = context
  if (!(error instanceof InvalidBlock) || !SYMPTOMS.includes(error.rule)) return error
  const other = otherReadingAt(configuration, header, parent.header)
  if (other === undefined || !(await isMadeBy(context, other, check))) return error
  const found = `${other.there}, which makes another ${error.rule}: config.qbft.besuTransitionTimes must be the same in all nodes`
  return new InvalidBlock(header, 'transitions', other.here, found, { cause: error })
}
