import { decodeStoredHead } from '../../core/store/codec/chainHead.ts'
import { checkedValue } from '../../core/store/checksum.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { headerKey } from '../../core/store/keys.ts'
import type { ChainHead } from '../../core/store/store.ts'
import { equalBytes } from '../../core/bytes/bytes.ts'
import type { Header } from '../../core/block/header.ts'
import { qbftBlockHash } from '../../core/block/codec/blockHash.ts'
import type { ReadHeaders } from '../../core/verify/linkedHeaders.ts'
import { NotProved } from '../../core/verify/notProved.ts'
import { setBounded } from '../../core/collections/boundedMap.ts'
import {
  type TrustedBlock,
  type TrustedChainOptions,
  trustCheckpoint,
  trustGenesis,
  trustHeader,
  verifyGoverned,
} from '../../core/verify/trustedChain.ts'
import type { TrustedBlockOption } from './options.ts'

/** Reads headers of a store, which is not trusted; damaged ones count as missing. */
export const headerSource =
  (kv: KeyValueStore): ReadHeaders =>
  async numbers => {
    const keys = numbers.map(headerKey)
    const values = await (kv.getMany?.(keys) ?? Promise.all(keys.map(key => kv.get(key))))
    return values.map((stored, index): Header | undefined => {
      const value = checkedValue(keys[index] as string, stored)
      return value === undefined ? undefined : decodeStoredHead(value).header
    })
  }

/** Follows the validators of a chain from what the operator trusts. */
export type HeadTrust = {
  /** Proves a later head. @throws NotProved, InvalidBlock */
  readonly verify: (head: ChainHead) => Promise<void>
  /** The last head that was proved; undefined before the first one. */
  readonly trusted: () => TrustedBlock | undefined
  /** True when a quorum of the validators that governed a header sealed it; false also before the trusted block. */
  readonly isGoverned: (header: Header) => Promise<boolean>
}

/** Sets of validators that are kept with the block after which each governs. */
const SETS_MAX = 1_024

/** The sets of validators that were followed, by the number of the block after which each governs. */
const createKnownSets = () => {
  const sets = new Map<bigint, TrustedBlock>()
  return {
    add: (trusted: TrustedBlock): void => {
      if (!sets.has(trusted.header.number)) setBounded(sets, trusted.header.number, trusted, SETS_MAX)
    },
    /** The last one before a block; undefined where none is known. */
    before: (number: bigint): TrustedBlock | undefined => {
      let last: TrustedBlock | undefined
      for (const one of sets.values())
        if (one.header.number < number && one.header.number >= (last?.header.number ?? -1n)) last = one
      return last
    },
  }
}

const isSameSet = (first: TrustedBlock, second: TrustedBlock): boolean =>
  first.validators.length === second.validators.length &&
  first.validators.every((address, index) => equalBytes(address, second.validators[index] as Uint8Array))

export const createHeadTrust = (
  chain: TrustedChainOptions,
  genesis: ChainHead,
  checkpoint: TrustedBlockOption | undefined,
): HeadTrust => {
  let trusted: TrustedBlock | undefined
  const sets = createKnownSets()
  const options: TrustedChainOptions = { ...chain, onChange: sets.add }
  /** The trusted block from which a block with this number is proved. */
  const before = async (number: bigint): Promise<TrustedBlock> =>
    trusted !== undefined && trusted.header.number <= number ? trusted : await begin()
  const begin = async (): Promise<TrustedBlock> => {
    const start = await (checkpoint === undefined
      ? trustGenesis(options, genesis.header)
      : trustCheckpoint(options, checkpoint.number, checkpoint.hash))
    sets.add(start)
    return start
  }
  return {
    verify: async ({ header, hash, totalDifficulty }) => {
      const start = await before(header.number)
      let proved = start
      if (header.number === start.header.number) {
        if (!equalBytes(qbftBlockHash(header), qbftBlockHash(start.header)))
          throw new NotProved(`block ${header.number}`, 'it is not the trusted one')
      } else proved = await trustHeader(options, start, header)
      if (!equalBytes(hash, qbftBlockHash(header)))
        throw new NotProved(`block ${header.number}`, 'the stored hash is another one')
      // Each block of a QBFT chain has the difficulty 1.
      if (totalDifficulty !== genesis.totalDifficulty + header.number)
        throw new NotProved(`block ${header.number}`, 'the stored total difficulty is another one')
      if (!isSameSet(proved, start)) sets.add(proved)
      // Several heads may be proved concurrently, and not in their order: the trusted block never goes back.
      if (trusted === undefined || proved.header.number > trusted.header.number) trusted = proved
    },
    trusted: () => trusted,
    isGoverned: async header => {
      const start = sets.before(header.number)
      if (start === undefined) return false
      try {
        await verifyGoverned(options, start, header)
        return true
      } catch {
        // Its descendants may prove it, or say why not.
        return false
      }
    },
  }
}
