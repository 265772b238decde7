import type { Genesis } from '../../core/genesis/genesis.ts'
import type { KeyValueStore } from '../../core/store/keyvalue.ts'
import type { ReplicaSnapshot } from '../../core/store/replica/readStore.ts'
import type { ChainHead, ChainStore } from '../../core/store/store.ts'
import { NotProved } from '../../core/verify/notProved.ts'
import { createHeadTrust, headerSource } from './headTrust.ts'
import type { TrustedBlockOption } from './options.ts'
import type { Verification } from './readHost.ts'

export type VerificationOptions = {
  readonly kind: Verification
  readonly genesis: Genesis
  readonly genesisHead: ChainHead
  readonly kv: KeyValueStore
  readonly trustedBlock: TrustedBlockOption | undefined
}

/** How a reader judges the heads and the values of a store. */
export type Verifier = {
  /** @throws the reason why a head must not be used */
  readonly verify: (head: ChainHead) => Promise<void>
  /** Puts the checks of values over a store. */
  readonly checked: (store: ChainStore, replica: ReplicaSnapshot) => ChainStore
}

const asItIs = (store: ChainStore): ChainStore => store

/** @throws VerificationUnavailable on a chain without seals */
export const createVerification = ({
  kind,
  genesis,
  genesisHead,
  kv,
  trustedBlock,
}: VerificationOptions): Verifier => {
  const { configuration } = genesis
  const { consensus } = configuration
  if (kind === 'none') return { verify: () => Promise.resolve(), checked: asItIs }
  if (consensus.kind !== 'qbft') throw new VerificationUnavailable()
  const trust = createHeadTrust(
    {
      configuration,
      consensus,
      read: headerSource(kv),
      callContract: header =>
        Promise.reject(
          new NotProved(`the validators after block ${header.number}`, 'a contract selects them'),
        ),
    },
    genesisHead,
    trustedBlock,
  )
  return { verify: trust.verify, checked: asItIs }
}

/** A chain whose blocks nobody seals cannot be verified by seals. */
export class VerificationUnavailable extends Error {
  override readonly name = 'VerificationUnavailable'
  readonly code = 'VERIFICATION_UNAVAILABLE'
  constructor() {
    super('this chain is not QBFT, so that no seals prove its blocks: give --verify=none')
  }
}
