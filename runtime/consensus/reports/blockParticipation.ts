import { setBounded } from '../../../core/collections/boundedMap.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import type { Chain } from '../../../core/chain/chain.ts'
import { extraDataOf } from '../../../core/block/codec/extraData.ts'
import type { Header } from '../../../core/block/header.ts'
import { type Participation, participationIn } from '../../../core/validators/participation.ts'
import { knownSealSigners, type RecoverSeals } from '../../../core/chain/rules/seals.ts'

/** Blocks kept, a little more than an operator asks for at once (qbft_getStatus). */
const KEPT_MAX = 128

export type BlockParticipation = {
  /** Of the QBFT blocks `from` to `to` that are there, ascending; at most the latest KEPT_MAX of them. */
  range(from: bigint, to: bigint): Promise<readonly Participation[]>
}

type Wanted = { readonly number: bigint; readonly header: Header; readonly parent: Header }

/**
 * Reads who took part in blocks. The validation of a block has left the signers of its seals while its header is in memory;
 * those of older blocks are recovered on threads, once for each block.
 */
export const createBlockParticipation = (chain: Chain, recoverSeals: RecoverSeals): BlockParticipation => {
  const kept = new Map<bigint, Participation>()
  /** One range after the other, so that concurrent ones do not recover the same seals. */
  let last: Promise<unknown> = Promise.resolve()

  const keep = (number: bigint, participation: Participation): void =>
    setBounded(kept, number, participation, KEPT_MAX)

  const wanted = async (number: bigint): Promise<Wanted | undefined> => {
    const header = await chain.store.header(number)
    const parent = await chain.store.header(number - 1n)
    return header === undefined || parent === undefined ? undefined : { number, header, parent }
  }

  const participationOf = async (
    { number, header, parent }: Wanted,
    sealers: readonly (Address | undefined)[],
  ) =>
    keep(
      number,
      participationIn(await chain.validators(number), {
        previousProposer: parent.coinbase,
        proposer: header.coinbase,
        round: extraDataOf(header).round,
        sealers,
      }),
    )

  const read = async (from: bigint, to: bigint): Promise<readonly Participation[]> => {
    const numbers: bigint[] = []
    const first = to - from >= BigInt(KEPT_MAX) ? to - BigInt(KEPT_MAX) + 1n : from
    // The genesis block has no seals.
    for (let number = first > 1n ? first : 1n; number <= to; number++) numbers.push(number)
    const missing: Wanted[] = []
    for (const number of numbers) {
      const found = kept.has(number) ? undefined : await wanted(number)
      if (found === undefined) continue
      const signers = knownSealSigners(found.header)
      if (signers === undefined) missing.push(found)
      else await participationOf(found, signers)
    }
    const signers = missing.length === 0 ? [] : await recoverSeals(missing.map(({ header }) => header))
    for (const [index, block] of missing.entries()) {
      const sealers = signers[index]
      if (sealers !== undefined) await participationOf(block, sealers)
    }
    return numbers.flatMap(number => kept.get(number) ?? [])
  }

  return {
    range: (from, to) => {
      const next = last.then(() => read(from, to))
      last = next.catch(() => undefined)
      return next
    },
  }
}
