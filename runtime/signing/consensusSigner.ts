import type { Seal } from '../../core/block/codec/seal.ts'
import type { QbftEnvironment } from '../../core/qbft/environment.ts'
import type { Steps } from '../../core/steps.ts'
import type { ValidatorSigner } from './signer.ts'

/** A signer as the consensus state machine calls it. */
export type ConsensusSigner = {
  readonly sign: QbftEnvironment['sign']
  /** Resolves when the requested signature has arrived or failed; undefined while none is requested. */
  readonly pending: () => Promise<void> | undefined
}

type Outcome = { readonly seal: Seal } | { readonly cause: unknown }

/** The state machine yields while a signature is pending; who runs its steps awaits `pending` before it continues. */
export const createConsensusSigner = ({ sign }: Pick<ValidatorSigner, 'sign'>): ConsensusSigner => {
  let pending: Promise<void> | undefined

  function* outcomeOf(signing: Promise<Seal>): Steps<Seal> {
    let outcome: Outcome | undefined
    pending = signing.then(
      seal => {
        outcome = { seal }
      },
      (cause: unknown) => {
        outcome = { cause }
      },
    )
    const arrived = (): Outcome | undefined => outcome
    for (;;) {
      const result = arrived()
      if (result !== undefined) {
        pending = undefined
        if ('cause' in result) throw result.cause
        return result.seal
      }
      yield
    }
  }

  return {
    sign: (digest, preimage) => {
      const signing = sign(digest, preimage)
      return signing instanceof Uint8Array ? signing : outcomeOf(signing)
    },
    pending: () => pending,
  }
}
