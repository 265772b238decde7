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
import { checkBefore } from '../interpreter/runLimit.ts'

const SIGNING_PREFIX = Uint8Array.of(0x05)
/** PER_AUTH_BASE_COST: what an authorization of an account that exists costs in the end. */
const EXISTING_GAS = 12500

/** Who signed the authorization, undefined when nobody can have. */
export const authorityOf = (authorization: Authorization): Address | undefined => {
  const { chainId, address, nonce, yParity, r, s } = authorization
  if (yParity > 1n || s > HALF_ORDER) return undefined
  const hash = keccak256(concatBytes(SIGNING_PREFIX, encodeRlp([chainId, address, nonce])))
  return recoverSigner(hash, Number(yParity), r, s)
}

/** EIP-7702: sets or clears the delegation of an account that agreed; what does not hold is passed over. */
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
 * Applies the authorizations of a transaction in their order. Each recovers a public key, up to a millisecond, and a
 * megabyte holds ten thousand: under a watch each is checked. @throws what ends the run
 */
export function* authorizationSteps(
  state: ExecutionState,
  chainId: bigint,
  authorizations: readonly Authorization[],
): Steps<void> {
  for (const authorization of authorizations) {
    applyAuthorization(state, chainId, authorization)
    if (checkBefore(state)) yield
  }
}
