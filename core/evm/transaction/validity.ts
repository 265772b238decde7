import type { Transaction, TransactionType } from '../../block/transaction.ts'
import type { Rules } from '../../genesis/configuration.ts'
import { type ForkName, forkIsAtLeast } from '../../genesis/fork.ts'
import { NONCE_MAX } from '../frames/create.ts'
import { minimumGas } from '../gas/intrinsic.ts'
import { InvalidTransaction, type InvalidTransactionCode } from './result.ts'
import { signatureIsValid } from './signatureIsValid.ts'
import { maxBigint } from '../../bytes/integer.ts'

/** Limits that the block sets for a transaction; an undefined limit is not checked. */
export type BlockLimits = {
  /** Highest gas limit of the transaction. */
  readonly gasLimit: bigint | undefined
  /** Wei per gas. */
  readonly baseFeePerGas: bigint | undefined
  /** Wei per blob gas. */
  readonly blobBaseFee: bigint | undefined
}

const TYPE_SINCE: Readonly<Record<TransactionType, ForkName>> = {
  0: 'frontier',
  1: 'berlin',
  2: 'london',
  3: 'cancun',
  4: 'prague',
}

const UINT256_MAX = 2n ** 256n - 1n
/** EIP-4844: the first byte of a versioned hash. */
const BLOB_VERSION = 0x01
/** EIP-7594. */
const TRANSACTION_BLOBS_MAX = 6

const refuseIf = (broken: boolean, code: InvalidTransactionCode, message: () => string): void => {
  if (broken) throw new InvalidTransaction(code, message())
}

const checkForm = ({ fork, chainId }: Rules, transaction: Transaction): void => {
  const { type, nonce } = transaction
  const since = TYPE_SINCE[type]
  refuseIf(
    !forkIsAtLeast(fork, since),
    'TYPE_NOT_SUPPORTED',
    () => `transactions of type ${type} exist from ${since} on, the block has the rules of ${fork}`,
  )
  if (transaction.chainId !== undefined) {
    refuseIf(
      !forkIsAtLeast(fork, 'spuriousDragon'),
      'TYPE_NOT_SUPPORTED',
      () => `${fork} does not support chain ids (EIP-155)`,
    )
    refuseIf(
      transaction.chainId !== chainId,
      'WRONG_CHAIN_ID',
      () => `signed for chain ${transaction.chainId}, this is chain ${chainId}`,
    )
  }
  refuseIf(
    !signatureIsValid(transaction, { fork }),
    'INVALID_SIGNATURE',
    () => 'r or s is out of range, or s is in the upper half (EIP-2)',
  )
  refuseIf(nonce >= NONCE_MAX, 'NONCE_OVERFLOW', () => `nonce ${nonce} is not below 2^64 - 1 (EIP-2681)`)
}

const checkBlobs = ({ fork, blob }: Rules, limits: BlockLimits, transaction: Transaction): void => {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas } = transaction
  refuseIf(
    transaction.to === undefined,
    'BLOB_CREATES_CONTRACT',
    () => 'a blob transaction needs a recipient',
  )
  refuseIf(hashes.length === 0, 'NO_BLOBS', () => 'a blob transaction needs at least one blob')
  const perBlock = blob?.maxBlobs ?? 0
  const most = forkIsAtLeast(fork, 'osaka') ? Math.min(perBlock, TRANSACTION_BLOBS_MAX) : perBlock
  refuseIf(
    hashes.length > most,
    'TOO_MANY_BLOBS',
    () => `${hashes.length} blobs, at most ${most} are allowed`,
  )
  refuseIf(
    hashes.some(hash => hash[0] !== BLOB_VERSION),
    'BLOB_VERSION',
    () => `a blob's versioned hash does not begin with ${BLOB_VERSION}`,
  )
  const { blobBaseFee } = limits
  refuseIf(
    blobBaseFee !== undefined && maxFeePerBlobGas < blobBaseFee,
    'BLOB_FEE_BELOW_BASE_FEE',
    () => `max fee per blob gas ${maxFeePerBlobGas} is below the block's ${blobBaseFee}`,
  )
}

const checkFees = (limits: BlockLimits, transaction: Transaction): void => {
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  refuseIf(
    maxPriorityFeePerGas > maxFeePerGas,
    'PRIORITY_FEE_ABOVE_MAX_FEE',
    () => `the priority fee ${maxPriorityFeePerGas} is above the max fee ${maxFeePerGas}`,
  )
  const { baseFeePerGas } = limits
  refuseIf(
    baseFeePerGas !== undefined && maxFeePerGas < baseFeePerGas,
    'FEE_BELOW_BASE_FEE',
    () => `the max fee ${maxFeePerGas} is below the block's base fee ${baseFeePerGas}`,
  )
  refuseIf(
    transaction.gasLimit * maxFeePerGas > UINT256_MAX,
    'UPFRONT_COST_OVERFLOW',
    () => 'gas limit times price is above 2^256',
  )
}

/** Checks the intrinsic gas and the size of initialization code. @throws InvalidTransaction */
export const checkIntrinsic = (
  rules: Rules,
  transaction: Pick<Transaction, 'to' | 'data' | 'gasLimit' | 'accessList' | 'authorizationList'>,
): void => {
  const { to, data, gasLimit } = transaction
  const initCodeMax = 2 * rules.codeSizeMax
  refuseIf(
    to === undefined && forkIsAtLeast(rules.fork, 'shanghai') && data.length > initCodeMax,
    'INITCODE_TOO_LARGE',
    () => `${data.length} bytes of initialization code, ${initCodeMax} at most (EIP-3860)`,
  )
  const { intrinsic, floor } = minimumGas(rules.fork, transaction)
  const needed = maxBigint(intrinsic, floor)
  refuseIf(
    gasLimit < needed,
    'INTRINSIC_GAS',
    () => `the gas limit ${gasLimit} is below the ${needed} needed`,
  )
}

/**
 * Checks the rules that do not depend on the state, for the block and the pool.
 * @throws InvalidTransaction
 */
export const checkTransaction = (rules: Rules, limits: BlockLimits, transaction: Transaction): void => {
  checkForm(rules, transaction)
  const { gasLimit } = transaction
  refuseIf(
    limits.gasLimit !== undefined && gasLimit > limits.gasLimit,
    'GAS_ABOVE_BLOCK_LIMIT',
    () => `the gas limit ${gasLimit} is above the ${limits.gasLimit} that the block has left`,
  )
  const { transactionGasMax } = rules
  refuseIf(
    transactionGasMax !== undefined && gasLimit > transactionGasMax,
    'GAS_ABOVE_TRANSACTION_CAP',
    () => `the gas limit ${gasLimit} is above the ${transactionGasMax} that one transaction may have`,
  )
  checkFees(limits, transaction)
  if (transaction.type === 3) checkBlobs(rules, limits, transaction)
  if (transaction.type === 4) {
    refuseIf(
      transaction.to === undefined,
      'SET_CODE_CREATES_CONTRACT',
      () => 'a set-code transaction needs a recipient (EIP-7702)',
    )
    refuseIf(
      transaction.authorizationList.length === 0,
      'EMPTY_AUTHORIZATION_LIST',
      () => 'a set-code transaction needs an authorization (EIP-7702)',
    )
  }
  checkIntrinsic(rules, transaction)
}
