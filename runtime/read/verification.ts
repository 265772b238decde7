import { createValidators } from '../../core/chain/execution/validators.ts'
import type { Header } from '../../core/block/header.ts'
import type { Genesis } from '../../core/genesis/genesis.ts'
import type { QbftConsensus } from '../../core/genesis/qbftSchedule.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import { createReadStore, type ReadStore, type ReplicaSnapshot } from '../../core/store/replica/readStore.ts'
import { decodeReplicaHead } from '../../core/store/replica/replicaHead.ts'
import type { ChainHead, ChainStore } from '../../core/store/store.ts'
import { createGenesisState } from '../../core/verify/genesisState.ts'
import { NotProved } from '../../core/verify/notProved.ts'
import { createProvedHeaders, type ProvedHeadersOptions } from '../../core/verify/provedHeaders.ts'
import { createProvedState, type ProvedCodes } from '../../core/verify/provedState.ts'
import { createProvedStore } from '../../core/verify/provedStore.ts'
import type { ProvedContractCall } from '../../core/verify/trustedChain.ts'
import { createHeadTrust, headerSource } from './headTrust.ts'
import type { TrustedBlockOption } from './options.ts'
import type { Verification } from './readHost.ts'
import { readTwice } from './secondRead.ts'

export type VerificationOptions = {
  readonly kind: Verification
  readonly genesis: Genesis
  readonly genesisHead: ChainHead
  readonly kv: KeyValueStore
  /** The store of proofs of heads, without a cache: a forged value, or one of a refused write, must not be used again. */
  readonly headsKv: KeyValueStore
  readonly trustedBlock: TrustedBlockOption | undefined
  /** As in ProvedHeadersOptions; undefined where requests cannot wait for each other. */
  readonly inTurn?: ProvedHeadersOptions['inTurn']
}

/** How a reader verifies the heads and the values of a store. */
export type Verifier = {
  /** @throws the reason why a head must not be used */
  readonly verify: (head: ChainHead) => Promise<void>
  /** Wraps a store with checks of its values. */
  readonly checked: (store: ReadStore, replica: ReplicaSnapshot) => ChainStore
}

const unchecked = (store: ChainStore): ChainStore => store

/** Never the sequence of a stored head: the trie records may be of any later block. */
const UNKNOWN_SEQUENCE = -1

/** Calls the validator contract in the state after a trusted block, each value of which the state trie proves. */
const provedContractCall = (
  { genesis, kv }: VerificationOptions,
  consensus: QbftConsensus,
  codes: ProvedCodes,
): ProvedContractCall => {
  const { configuration } = genesis
  const storeAt = async (header: Header): Promise<ReadStore> => {
    const stored = await kv.get(REPLICA_KEY)
    if (stored === undefined)
      throw new NotProved(`the validators after block ${header.number}`, 'the store has no state')
    const head = { header, hash: header.parentHash, totalDifficulty: 0n }
    return createReadStore(kv, { ...decodeReplicaHead(stored), head, sequence: UNKNOWN_SEQUENCE })
  }
  return async header => {
    const { number, stateRoot } = header
    const reads = { header: () => Promise.resolve(header), recentHash: () => undefined }
    if (number === 0n) {
      const state = createGenesisState(genesis)
      const run = <T>(synchronous: () => T): Promise<T> => Promise.resolve(synchronous())
      return createValidators(configuration, consensus, { ...reads, run, stateAt: () => state }).validators(
        1n,
      )
    }
    const store = await storeAt(header)
    const stateAt = () =>
      createProvedState(
        store.stateAt(number),
        () => store.trieAt(number, stateRoot),
        () => stateRoot,
        codes,
      )
    const run = <T>(synchronous: () => T): Promise<T> => store.run(synchronous)
    return createValidators(configuration, consensus, { ...reads, run, stateAt }).validators(number + 1n)
  }
}

/** @throws VerificationUnavailable on a chain without seals */
export const createVerification = (options: VerificationOptions): Verifier => {
  const { kind, genesis, genesisHead, kv, headsKv, trustedBlock, inTurn } = options
  const { configuration } = genesis
  const { consensus } = configuration
  if (kind === 'none') return { verify: () => Promise.resolve(), checked: unchecked }
  if (consensus.kind !== 'qbft') throw new VerificationUnavailable()
  const codes: ProvedCodes = new Map()
  const read = headerSource(kv)
  const callContract = provedContractCall({ ...options, kv: headsKv }, consensus, codes)
  const trust = createHeadTrust(
    { consensus, read: headerSource(headsKv), callContract },
    genesisHead,
    trustedBlock,
  )
  const verify: Verifier['verify'] = async head => {
    try {
      await trust.verify(head)
    } catch (error) {
      await readTwice(
        error,
        async () => headsKv.forget?.(),
        () => trust.verify(head),
      )
    }
  }
  if (kind === 'head') return { verify, checked: unchecked }
  const known = new Map<bigint, Header>()
  const anchors = new Map<bigint, Header>()
  return {
    verify,
    checked: (store, { head }) =>
      createProvedStore({
        store,
        headers: createProvedHeaders({
          genesis: genesisHead,
          read,
          head: head.header,
          validators: trust.trusted()?.validators ?? [],
          isGoverned: trust.isGoverned,
          known,
          anchors,
          ...(inTurn === undefined ? {} : { inTurn }),
        }),
        codes,
        records: new Map(),
        configuration,
        genesisDifficulty: genesisHead.totalDifficulty,
        pause: () => kv.pause(),
      }),
  }
}

/** A chain without seals cannot be verified by seals. */
class VerificationUnavailable extends Error {
  override readonly name = 'VerificationUnavailable'
  readonly code = 'VERIFICATION_UNAVAILABLE'
  constructor() {
    super('this chain is not QBFT, so that no seals prove its blocks: give --verify=none')
  }
}
