import { errorText } from '../../../core/text/errorText.ts'
import type { Seal } from '../../../core/block/codec/seal.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { addressOfPublicKey } from '../../../core/crypto/crypto.ts'
import type { Log } from '../../logging/log.ts'
import { SignerError, type ValidatorSigner } from '../signer.ts'
import { requestPublicKeys, requestSignature, type SignerEndpoint } from './web3signer.ts'
import { shownUrl } from '../../text/shownUrl.ts'

/** After a failure the signer is not asked again for this long, so that consensus does not wait for it at each message. */
const PAUSE_MS = 2000

type Options = {
  /** In the order in which they are asked. */
  readonly endpoints: readonly SignerEndpoint[]
  /** Of the validator, 64 bytes. */
  readonly publicKey: Uint8Array
  readonly log: Log
  /** Monotonic clock. */
  readonly nowMs: () => number
}

type State = {
  /** The endpoint that answered last is asked first. */
  first: number
  /** Undefined while the signer answers. */
  failure: { readonly reason: string; readonly atMs: number } | undefined
}

/** Asks the endpoints one after the other. @throws SignerError that names what each answered */
const requestInTurn = async <Answer>(
  endpoints: readonly SignerEndpoint[],
  first: number,
  ask: (endpoint: SignerEndpoint) => Promise<Answer>,
): Promise<{ readonly answer: Answer; readonly index: number }> => {
  const reasons: string[] = []
  for (let turn = 0; turn < endpoints.length; turn++) {
    const index = (first + turn) % endpoints.length
    const endpoint = endpoints[index] as SignerEndpoint
    try {
      return { answer: await ask(endpoint), index }
    } catch (cause) {
      reasons.push(`${shownUrl(endpoint.url)}: ${errorText(cause)}`)
    }
  }
  throw new SignerError(reasons.join('; '))
}

const noteFailure = ({ log, nowMs }: Options, state: State, cause: unknown): void => {
  const reason = errorText(cause)
  if (state.failure?.reason !== reason)
    log.error('The remote signer gave no signature ({reason}). This validator sends none until it does', {
      reason,
    })
  state.failure = { reason, atMs: nowMs() }
}

const noteSuccess = ({ log }: Options, state: State): void => {
  if (state.failure === undefined) return
  state.failure = undefined
  log.info('The remote signer answers again')
}

/**
 * A signer that asks web3signer for each signature. A signature that comes too late, that fails, or that is not one of the
 * validator's key over the requested bytes is not used.
 */
export const createRemoteSigner = (options: Options): ValidatorSigner => {
  const { endpoints, publicKey, nowMs } = options
  const address = addressOfPublicKey(publicKey)
  const state: State = { first: 0, failure: undefined }

  const request = async (digest: Uint8Array, preimage: Uint8Array): Promise<Seal> => {
    try {
      const { answer, index } = await requestInTurn(endpoints, state.first, endpoint =>
        requestSignature(endpoint, { address, publicKey }, digest, preimage),
      )
      state.first = index
      noteSuccess(options, state)
      return answer
    } catch (cause) {
      noteFailure(options, state, cause)
      throw cause
    }
  }

  return {
    address,
    publicKey,
    sign: (digest, preimage) => {
      const { failure } = state
      if (failure !== undefined && nowMs() - failure.atMs < PAUSE_MS) throw new SignerError(failure.reason)
      return request(digest, preimage())
    },
    close: () => {
      for (const { agent } of endpoints) agent.destroy()
    },
  }
}

/** The only public key that the signer has. @throws SignerError */
export const findPublicKey = async (endpoints: readonly SignerEndpoint[]): Promise<Uint8Array> => {
  const { answer: keys } = await requestInTurn(endpoints, 0, requestPublicKeys)
  const [only] = keys
  if (only !== undefined && keys.length === 1) return only
  throw new SignerError(
    keys.length === 0
      ? 'it has no key'
      : `it has ${keys.length} keys: name that of this validator with --remote-signer-public-key (${keys.slice(0, 8).map(toHex).join(', ')})`,
  )
}
