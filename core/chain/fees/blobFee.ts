import { GAS_PER_BLOB } from '../../block/transaction.ts'
import type { BlobParameters, ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import { forkIsAtLeast } from '../../genesis/fork.ts'
import type { Header } from '../../block/header.ts'

const MIN_BASE_FEE_PER_BLOB_GAS = 1n
/** EIP-7918: minimum cost of a blob in execution gas. */
const BLOB_BASE_COST = 8_192n

/** EIP-4844's approximation of factor * e ** (numerator / denominator). */
const fakeExponential = (factor: bigint, numerator: bigint, denominator: bigint): bigint => {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/** Wei per blob gas at this excess (EIP-4844, with the parameters of EIP-7840). */
export const blobBaseFeeOf = (blob: BlobParameters, excessBlobGas: bigint): bigint =>
  fakeExponential(MIN_BASE_FEE_PER_BLOB_GAS, excessBlobGas, blob.baseFeeUpdateFraction)

/** Wei per blob gas at this excess; undefined before Cancun. 0 on `zeroBaseFee` and `fixedBaseFee` networks, as in Besu. */
export const blobBaseFeeAt = (
  configuration: Pick<ChainConfiguration, 'zeroBaseFee' | 'fixedBaseFee'>,
  rules: Pick<Rules, 'fork' | 'blob'>,
  excessBlobGas: bigint | undefined,
): bigint | undefined => {
  if (!forkIsAtLeast(rules.fork, 'cancun') || rules.blob === undefined) return undefined
  if (configuration.zeroBaseFee || configuration.fixedBaseFee) return 0n
  return blobBaseFeeOf(rules.blob, excessBlobGas ?? 0n)
}

/** Maximum blob gas of a block. */
export const maxBlobGas = (blob: BlobParameters): bigint => BigInt(blob.maxBlobs) * GAS_PER_BLOB

/**
 * The excess blob gas of the block after `parent` (EIP-4844, EIP-7918), whose rules these are. A parent without blob fields
 * (the last block before Cancun) counts as zero.
 */
export const excessBlobGasAfter = (
  rules: Pick<Rules, 'fork'>,
  blob: BlobParameters,
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
): bigint => {
  const parentExcess = parent.excessBlobGas ?? 0n
  const parentUsed = parent.blobGasUsed ?? 0n
  const target = BigInt(blob.targetBlobs) * GAS_PER_BLOB
  if (parentExcess + parentUsed < target) return 0n
  if (forkIsAtLeast(rules.fork, 'osaka')) {
    const reservePrice = BLOB_BASE_COST * (parent.baseFeePerGas ?? 0n)
    if (reservePrice > GAS_PER_BLOB * blobBaseFeeOf(blob, parentExcess))
      return parentExcess + (parentUsed * BigInt(blob.maxBlobs - blob.targetBlobs)) / BigInt(blob.maxBlobs)
  }
  return parentExcess + parentUsed - target
}
