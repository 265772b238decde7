import type { HeaderRule } from './context.ts'
import * as forkFields from './forkFields.ts'
import * as common from './header.ts'

/** The rules of gas and of the fields of forks that hold under every consensus, in the order of the checks. */
export const GAS_AND_FORK_RULES: readonly HeaderRule[] = [
  common.gasUsedLimit,
  common.gasLimitRange,
  common.gasLimitStep,
  forkFields.baseFeePresence,
  common.baseFeeValue,
  forkFields.withdrawalsRootPresence,
  forkFields.blobFieldsPresence,
  forkFields.blobGasLimit,
  forkFields.excessBlobGas,
]
