import { concatBytes, EMPTY_BYTES, isZeroBytes, type Address } from '../../bytes/bytes.ts'
import type { Authorization } from '../../block/transaction.ts'
import { keccak256 } from '../../crypto/crypto.ts'
import { HALF_ORDER, recoverSigner } from '../../crypto/recovery.ts'
import { encodeRlp } from '../../rlp/rlp.ts'
import { hasCode } from '../../state/accountState.ts'
import type { ExecutionState } from '../../state/executionState.ts'
import { accountOf, codeOf, putCode, putNonce, touch, warmAccount } from '../../state/executionState.ts'
import type { Steps } from '../../steps.ts'
import { NONCE_MAX } from '../frames/create.ts'
import { delegateOf, delegationTo } from '../frames/delegation.ts'
import { AUTHORIZATION_GAS } from '../gas/intrinsic.ts'
import { checkTransactionLimit } from '../interpreter/runLimit.ts'

const SIGNING_PREFIX = Uint8Array.of(0x05)
/** EIP-7702, PER_AUTH_BASE_COST: the gas of an authorization of an existing account, after the refund. */
const EXISTING_GAS = 12500

/** The signer of the authorization; undefined when the signature is invalid. */
export const authorityOf = (authorization: Authorization): Address | undefined => {
  const { chainId, address, nonce, yParity, r, s } = authorization
  if (yParity > 1n || s > HALF_ORDER) return undefined
  const hash = keccak256(concatBytes(SIGNING_PREFIX, encodeRlp([chainId, address, nonce])))
  return recoverSigner(hash, Number(yParity), r, s)
}

/** EIP-7702: sets or clears the delegation of the signer's account; an invalid authorization is skipped. */
const applyAuthorization = (state: ExecutionState, chainId: bigint, authorization: Authorization): void => {
  const { address, nonce } = authorization
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return
  if (nonce >= NONCE_MAX) return
  const authority = authorityOf(authorization)
  if (authority === undefined) return
  const account = accountOf(state, authority)
  warmAccount(state, account)
  if (hasCode(account) && delegateOf(codeOf(state, account)) === undefined) return
  if (account.nonce !== nonce) return
  if (account.exists) state.refund += AUTHORIZATION_GAS - EXISTING_GAS
  touch(state, account)
  putCode(state, account, isZeroBytes(address) ? EMPTY_BYTES : delegationTo(address))
  putNonce(state, account, nonce + 1n)
}

/**
 * Applies the authorizations of a transaction in order. Checks the run limit after each: recovering a public key takes up
 * to a millisecond, and a megabyte has ten thousand authorizations. @throws as RunLimit.check
 */
export function* authorizationSteps(
  state: ExecutionState,
  chainId: bigint,
  authorizations: readonly Authorization[],
): Steps<void> {
  for (const authorization of authorizations) {
    applyAuthorization(state, chainId, authorization)
    if (checkTransactionLimit(state)) yield
  }
}
