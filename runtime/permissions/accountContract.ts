import { type Address, concatBytes, ZERO_ADDRESS } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { bigintToFixedBytes, bytesToBigint, maxBigint } from '../../core/bytes/integer.ts'
import type { Transaction } from '../../core/block/transaction.ts'
import type { Chain } from '../../core/chain/chain.ts'
import { callContractAt } from '../../core/chain/execution/contractCall.ts'
import { blockEnvironment } from '../../core/chain/execution/environment.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import { minimumGas } from '../../core/evm/gas/intrinsic.ts'
import type { Rules } from '../../core/genesis/configuration.ts'
import { rulesAt } from '../../core/genesis/forkSchedule.ts'

/** Gas of one call besides what its data cost: some lookups in a mapping. Each transaction causes one, so it takes a millisecond at most. */
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

/** The gas limit of a call: a long payload must not use up what the contract may spend. */
const gasLimitOf = ({ fork }: Rules, to: Address, data: Uint8Array): bigint => {
  const { intrinsic, floor } = minimumGas(fork, { to, data, accessList: [], authorizationList: [] })
  return maxBigint(intrinsic + GAS_MAX, floor)
}

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
  const data = callDataOf(sender, transaction)
  const result = callContractAt(environment, store.stateAt(header.number), {
    contract,
    data,
    gasLimit: gasLimitOf(rules, contract, data),
  })
  const name = `the permission contract ${toHex(contract)}`
  if (!result.success) return `${name} failed: ${result.reason} (its limit is ${GAS_MAX} gas)`
  const answer = result.output.length === WORD ? bytesToBigint(result.output) : undefined
  if (answer !== 0n && answer !== 1n) return `${name} does not answer transactionAllowed with a bool`
  return answer === 1n ? undefined : `${name} does not allow it to ${toHex(sender)}`
}
