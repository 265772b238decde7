import { type Address, concatBytes, ZERO_ADDRESS } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../core/bytes/integer.ts'
import type { Transaction } from '../../core/block/transaction.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { callContractAt } from '../../core/chain/execution/contractCall.ts'
import { blockEnvironment } from '../../core/chain/execution/environment.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { rulesAt } from '../../core/genesis/schedule.ts'

/** Gas of one call: some lookups in a mapping. Each transaction causes one, so it takes a millisecond at most. */
const GAS_MAX = 500_000n

const WORD = 32

/** As the on-chain permissioning of Besu had it (AccountRules, removed in 2025). */
const SIGNATURE = 'transactionAllowed(address,address,uint256,uint256,uint256,bytes)'
const SELECTOR = keccak256(new TextEncoder().encode(SIGNATURE)).subarray(0, 4)

const word = (value: bigint): Uint8Array => bigintToFixedBytes(value, WORD)

const addressWord = (address: Address): Uint8Array =>
  concatBytes(new Uint8Array(WORD - address.length), address)

const padded = (bytes: Uint8Array): Uint8Array =>
  concatBytes(bytes, new Uint8Array((WORD - (bytes.length % WORD)) % WORD))

/** The call data: six words, the last of which points to the payload. */
const callDataOf = (sender: Address, { to, value, maxFeePerGas, gasLimit, data }: Transaction): Uint8Array =>
  concatBytes(
    SELECTOR,
    addressWord(sender),
    addressWord(to ?? ZERO_ADDRESS),
    word(value),
    word(maxFeePerGas),
    word(gasLimit),
    word(BigInt(6 * WORD)),
    word(BigInt(data.length)),
    padded(data),
  )

/**
 * Calls the permission contract at the head. A contract that is missing, fails, returns anything else or exceeds GAS_MAX
 * permits nothing.
 * @returns why not; undefined when it may
 */
export const refusedByContract = (
  chain: Chain,
  contract: Address,
  sender: Address,
  transaction: Transaction,
): string | undefined => {
  const { configuration, store } = chain
  const { header } = chain.head()
  const rules = rulesAt(configuration, header.number, header.timestamp)
  const environment = blockEnvironment(configuration, rules, header, past => store.recentHash(past))
  const call = { contract, data: callDataOf(sender, transaction), gasLimit: GAS_MAX }
  const result = callContractAt(environment, store.stateAt(header.number), call)
  const name = `the permission contract ${toHex(contract)}`
  if (!result.success) return `${name} failed: ${result.reason} (its limit is ${GAS_MAX} gas)`
  if (result.output.length !== WORD) return `${name} does not answer transactionAllowed with a bool`
  return result.output[WORD - 1] === 1 ? undefined : `${name} does not allow it to ${toHex(sender)}`
}
