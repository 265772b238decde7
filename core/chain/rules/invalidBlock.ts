import { equalBytes } from '../../bytes/bytes.ts'
import { toHex } from '../../bytes/hex.ts'

/** Every rule that a block can violate, by the stable name in errors, logs and tests. */
export type RuleName =
  // header, every chain
  | 'ancestry'
  | 'gas-used-limit'
  | 'gas-limit-range'
  | 'gas-limit-step'
  | 'base-fee-presence'
  | 'base-fee-value'
  | 'withdrawals-root-presence'
  | 'blob-fields-presence'
  | 'blob-gas-limit'
  | 'excess-blob-gas'
  | 'beacon-root-presence'
  | 'requests-hash-presence'
  | 'future-timestamp'
  | 'difficulty'
  // header, QBFT
  | 'mix-hash'
  | 'extra-data'
  | 'extra-data-encoding'
  | 'validators'
  | 'vote-in-contract-mode'
  | 'coinbase-validator'
  | 'seal-signer'
  | 'seal-duplicate'
  | 'seal-quorum'
  | 'timestamp-spacing'
  // several rules, where the block's maker reads the genesis file otherwise
  | 'transitions'
  // header, proof of work and proof of stake
  | 'extra-data-size'
  | 'timestamp-after-parent'
  | 'merge'
  | 'nonce'
  // body
  | 'block-size'
  | 'transactions-root'
  | 'ommers-hash'
  | 'ommers-count'
  | 'ommer-depth'
  | 'ommer-duplicate'
  | 'ommer-is-ancestor'
  | 'ommer-header'
  | 'withdrawals-presence'
  | 'withdrawals-root'
  | 'withdrawals-not-applicable'
  // execution
  | 'transaction-signature'
  | 'transaction'
  | 'system-contract'
  | 'gas-used'
  | 'blob-gas-used'
  | 'receipts-root'
  | 'logs-bloom'
  | 'requests-hash'
  | 'state-root'

/** A block that the chain refuses: the violated rule, the expected and the found value. */
export class InvalidBlock extends Error {
  override readonly name = 'InvalidBlock'
  readonly code = 'INVALID_BLOCK'
  readonly blockNumber: bigint
  readonly rule: RuleName
  readonly expected: string
  readonly found: string
  constructor(
    block: { readonly number: bigint },
    rule: RuleName,
    expected: string,
    found: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(`Block ${block.number} is invalid (${rule}): expected ${expected}, found ${found}`, options)
    this.blockNumber = block.number
    this.rule = rule
    this.expected = expected
    this.found = found
  }
}

/** @throws InvalidBlock unless both are the same bytes. */
export const requireSameBytes = (
  block: { readonly number: bigint },
  rule: RuleName,
  expected: Uint8Array,
  found: Uint8Array,
): void => {
  if (!equalBytes(expected, found)) throw new InvalidBlock(block, rule, toHex(expected), toHex(found))
}

/** @throws InvalidBlock unless both are the same number. */
export const requireSameNumber = (
  block: { readonly number: bigint },
  rule: RuleName,
  expected: bigint,
  found: bigint,
): void => {
  if (expected !== found) throw new InvalidBlock(block, rule, String(expected), String(found))
}

/** @throws InvalidBlock when the field is present and should be absent, or the reverse */
export const requirePresence = (
  block: { readonly number: bigint },
  rule: RuleName,
  expected: boolean,
  found: boolean,
  field: string,
): void => {
  if (expected !== found)
    throw new InvalidBlock(
      block,
      rule,
      `${expected ? 'the' : 'no'} field ${field}`,
      `${found ? 'the' : 'no'} field`,
    )
}
