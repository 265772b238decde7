import { UsageError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

/** @throws UsageError for an option of a development chain on any other */
export const requireDevelopment = ({ genesisFile, blockPeriod, devClientVersion }: NodeOptions): void => {
  if (genesisFile === undefined) return
  const given =
    blockPeriod > 0 ? 'block-period' : devClientVersion === undefined ? undefined : 'dev-client-version'
  if (given !== undefined)
    throw new UsageError(
      'INVALID_VALUE',
      `--${given} is for a development chain: leave it out, or leave out --genesis-file`,
    )
}
